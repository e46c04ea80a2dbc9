import { statement, type Database } from '@postroom/persistence';
import type { ReceivingMailbox } from '../conversations/plain.js';
import { routingAddress, withoutSubAddress } from '../mailboxes/plain.js';
import { refusals } from './smtp/smtp-refusal.js';

type Found = { [K in keyof ReceivingMailbox]: ReceivingMailbox[K] | null };

const findRecipient = statement<Found>(
  'inbound.find_recipient',
  `SELECT tenant_id AS "tenantId", mailbox_id AS "mailboxId", address, automation
   FROM find_recipient($1, $2)`,
);

/** Finds the mailbox that a recipient's address belongs to, over all workspaces. */
export class MailboxLookup {
  constructor(private readonly database: Database) {}

  /** @throws SmtpRefusal when there is no such mailbox, or no mailbox of its domain */
  async find(address: string): Promise<ReceivingMailbox> {
    // `postmaster` without a domain is well formed (RFC 5321 §4.5.1), and no mailbox has it.
    if (!address.includes('@')) throw refusals.unknownRecipient();
    const exact = routingAddress(address);
    const [found] = await this.database.rows(findRecipient, [exact, withoutSubAddress(exact)]);
    if (!found) throw refusals.foreignDomain();
    if (!isMailbox(found)) throw refusals.unknownRecipient();
    return found;
  }
}

const isMailbox = (found: Found): found is ReceivingMailbox => found.mailboxId !== null;
