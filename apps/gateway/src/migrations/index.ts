import type { ServiceSchema } from '@postroom/persistence/provision';
import { Init1764000000000 } from './1764000000000-init.js';
import { AuthorizationLeases1764050000000 } from './1764050000000-authorization-leases.js';
import { OutboxLanes1764100000000 } from './1764100000000-outbox-lanes.js';
import { Teams1764200000000 } from './1764200000000-teams.js';
import { AuditChain1764210000000 } from './1764210000000-audit-chain.js';
import { SignInAttempts1764210100000 } from './1764210100000-sign-in-attempts.js';
import { TimeZones1764240000000 } from './1764240000000-time-zones.js';
import { ReplacedSessions1764300000000 } from './1764300000000-replaced-sessions.js';
import { AuditOnce1764300100000 } from './1764300100000-audit-once.js';
import { ParkedEvents1764300200000 } from './1764300200000-parked-events.js';
import { SealedOnArrival1764500000000 } from './1764500000000-sealed-on-arrival.js';
import { KeyClaims1764800000000 } from './1764800000000-key-claims.js';
import { SignInOrder1764900000000 } from './1764900000000-sign-in-order.js';

/** The gateway's schema and how it came to be. */
export const accessSchema: ServiceSchema<'access'> = {
  name: 'access',
  migrations: [
    Init1764000000000,
    AuthorizationLeases1764050000000,
    OutboxLanes1764100000000,
    Teams1764200000000,
    AuditChain1764210000000,
    SignInAttempts1764210100000,
    TimeZones1764240000000,
    ReplacedSessions1764300000000,
    AuditOnce1764300100000,
    ParkedEvents1764300200000,
    SealedOnArrival1764500000000,
    KeyClaims1764800000000,
    SignInOrder1764900000000,
  ],
};
