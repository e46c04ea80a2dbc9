import type { ServiceSchema } from '@postroom/persistence/provision';
import { InitMail1763683200000 } from './1763683200000-init.js';
import { OutboxLanes1764100000000 } from './1764100000000-outbox-lanes.js';
import { AuditForwarding1764210000000 } from './1764210000000-audit-forwarding.js';

/** The mail service's part of the database. */
export const mailSchema: ServiceSchema<'mail'> = {
  name: 'mail',
  migrations: [InitMail1763683200000, OutboxLanes1764100000000, AuditForwarding1764210000000],
};
