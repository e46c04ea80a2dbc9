import type { SealedColumn } from '@postroom/access';
import { operationFunctions, sealedFunctions } from '@postroom/operations';
import type { ServiceSchema } from '@postroom/persistence/provision';
import { mailboxSeals } from '../mailboxes/plain.js';
import { InitMail1765100000000 } from './1765100000000-init.js';
import { ApprovedByMail1795510000000 } from './1795510000000-approved-by.js';
import { PublishedEventsMail1795520000000 } from './1795520000000-published-events.js';
import { MailContacts1795520000000 } from './1795520000000-contacts.js';
import { MessageTrustMail1795530000000 } from './1795530000000-message-trust.js';
import { MailLinks1795560000000 } from './1795560000000-links.js';
import { RebuiltReadModelsMail1795570000000 } from './1795570000000-rebuilt-read-models.js';
import { AuditDurationMail1795580000000 } from './1795580000000-audit-duration.js';
import { LearntBooksMail1795590000000 } from './1795590000000-learnt-books.js';
import { MailInvitations1795630000000 } from './1795630000000-invitations.js';
import { ReplayOfPublishedMail1795650000000 } from './1795650000000-replay-of-published.js';
import { Domains1795650000000 } from './1795650000000-domains.js';
import { DeletedMailboxes1795650000001 } from './1795650000001-deleted-mailboxes.js';
import { Quotas1795670000000 } from './1795670000000-quotas.js';
import { StoredBytes1795670000001 } from './1795670000001-stored-bytes.js';
import { SendsOfKeys1795670000002 } from './1795670000002-sends-of-keys.js';
import { TracesMail1795700000000 } from './1795700000000-traces.js';
import { SealedColumnsMail1795710000000 } from './1795710000000-sealed-columns.js';
import { QuotasMail1795720000000 } from './1795720000000-quotas.js';

/** What the service encrypts for. */
export const mailSeals: readonly SealedColumn[] = Object.values(mailboxSeals);

/** The mail service's schema. */
export const mailSchema: ServiceSchema<'mail'> = {
  name: 'mail',
  migrations: [
    InitMail1765100000000,
    ApprovedByMail1795510000000,
    PublishedEventsMail1795520000000,
    MailContacts1795520000000,
    MessageTrustMail1795530000000,
    MailLinks1795560000000,
    RebuiltReadModelsMail1795570000000,
    AuditDurationMail1795580000000,
    LearntBooksMail1795590000000,
    MailInvitations1795630000000,
    ReplayOfPublishedMail1795650000000,
    Domains1795650000000,
    DeletedMailboxes1795650000001,
    Quotas1795670000000,
    StoredBytes1795670000001,
    SendsOfKeys1795670000002,
    TracesMail1795700000000,
    SealedColumnsMail1795710000000,
    QuotasMail1795720000000,
  ],
  sql: [operationFunctions, new URL('../../src/', import.meta.url)],
  made: [sealedFunctions(mailSeals)],
};
