import type { ServiceSchema } from '@postroom/persistence/provision';
import { InitMail1763683200000 } from './1763683200000-init.js';
import { OutboxLanes1764100000000 } from './1764100000000-outbox-lanes.js';
import { Triage1764200000000 } from './1764200000000-triage.js';
import { AuditForwarding1764210000000 } from './1764210000000-audit-forwarding.js';
import { Search1764220000000 } from './1764220000000-search.js';
import { Imports1764230000000 } from './1764230000000-imports.js';
import { Signatures1764240000000 } from './1764240000000-signatures.js';
import { Volumes1764241000000 } from './1764241000000-volumes.js';
import { Walks1764300000000 } from './1764300000000-walks.js';
import { OneImportAtATime1764300100000 } from './1764300100000-one-import-at-a-time.js';
import { AuditBacklog1764300200000 } from './1764300200000-audit-backlog.js';
import { ParkedEvents1764300300000 } from './1764300300000-parked-events.js';
import { Drafts1764310000000 } from './1764310000000-drafts.js';
import { Dlp1764320000000 } from './1764320000000-dlp.js';
import { Sends1764330000000 } from './1764330000000-sends.js';
import { WarningsGivenBack1764400000000 } from './1764400000000-warnings-given-back.js';
import { AnsweredMessages1764400100000 } from './1764400100000-answered-messages.js';
import { AbsentWords1764600000000 } from './1764600000000-absent-words.js';
import { OriginalsInPieces1764700000000 } from './1764700000000-originals-in-pieces.js';
import { PlansOfWalks1764710000000 } from './1764710000000-plans-of-walks.js';
import { KeyClaims1764800000000 } from './1764800000000-key-claims.js';
import { SentBesideDrafts1764900000000 } from './1764900000000-sent-beside-drafts.js';
import { IdsStay1765000000000 } from './1765000000000-ids-stay.js';

/** The mail service's part of the database. */
export const mailSchema: ServiceSchema<'mail'> = {
  name: 'mail',
  migrations: [
    InitMail1763683200000,
    OutboxLanes1764100000000,
    Triage1764200000000,
    AuditForwarding1764210000000,
    Search1764220000000,
    Imports1764230000000,
    Signatures1764240000000,
    Volumes1764241000000,
    Walks1764300000000,
    OneImportAtATime1764300100000,
    AuditBacklog1764300200000,
    ParkedEvents1764300300000,
    Drafts1764310000000,
    Dlp1764320000000,
    Sends1764330000000,
    WarningsGivenBack1764400000000,
    AnsweredMessages1764400100000,
    AbsentWords1764600000000,
    OriginalsInPieces1764700000000,
    PlansOfWalks1764710000000,
    KeyClaims1764800000000,
    SentBesideDrafts1764900000000,
    IdsStay1765000000000,
  ],
};
