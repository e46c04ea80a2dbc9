import { statement, type Database } from '@postroom/persistence';
import type { MailConfig } from '../config.js';
import type { ReceivingMailbox } from '../messages/index.js';
import { routingAddress, withoutSubAddress } from '../routing-address.js';
import { refusals } from './smtp/smtp-refusal.js';

type RecipientRow = { [K in keyof ReceivingMailbox]: ReceivingMailbox[K] | null } & {
  isFull: boolean;
};

const findRecipient = statement<RecipientRow>(
  'inbound.find_recipient',
  `SELECT tenant_id AS "tenantId", mailbox_id AS "mailboxId", address, automation,
     is_full AS "isFull"
   FROM find_recipient_with_room($1, $2, $3, $4)`,
);

/** Finds the mailbox that a recipient's address belongs to, over all workspaces. */
export class MailboxLookup {
  constructor(
    private readonly config: Pick<MailConfig, 'quotaStoredBytes' | 'quotaArrivingBytes'>,
    private readonly database: Database,
  ) {}

  /** @throws SmtpRefusal when there is no such mailbox, or no mailbox of its domain, or no room in it */
  async find(address: string): Promise<ReceivingMailbox> {
    // `postmaster` without a domain is well formed (RFC 5321 §4.5.1), and no mailbox has it.
    if (!address.includes('@')) throw refusals.unknownRecipient();
    const exact = routingAddress(address);
    const { quotaStoredBytes, quotaArrivingBytes } = this.config;
    const named = [exact, withoutSubAddress(exact)];
    const limits = [quotaStoredBytes, quotaArrivingBytes];
    const [found] = await this.database.rows(findRecipient, [...named, ...limits]);
    if (!found) throw refusals.foreignDomain();
    const { isFull, ...mailbox } = found;
    if (!isMailbox(mailbox)) throw refusals.unknownRecipient();
    if (isFull) throw refusals.overQuota();
    return mailbox;
  }
}

const isMailbox = (found: Omit<RecipientRow, 'isFull'>): found is ReceivingMailbox =>
  found.mailboxId !== null;
