import { statement, type Database } from '@postroom/persistence';
import type { Recipient } from '../inbound/index.js';
import { routingAddress, withoutSubAddress } from '../mailboxes/plain.js';
import { refusals } from './smtp-refusal.js';

const findRecipient = statement<{ [K in keyof Recipient]: Recipient[K] | null }>(
  'smtp.recipient',
  `SELECT tenant_id AS "tenantId", mailbox_id AS "mailboxId", address, automation
   FROM find_recipient($1, $2)`,
);

/** Finds the mailbox that an address of an envelope means, over all workspaces. */
export class Recipients {
  constructor(private readonly database: Database) {}

  /** @throws SmtpRefusal when the mailbox or the domain is not here */
  async find(address: string): Promise<Recipient> {
    // `postmaster` alone is well formed (RFC 5321 §4.5.1), and nobody here.
    if (!address.includes('@')) throw refusals.unknownRecipient();
    const exact = routingAddress(address);
    const [found] = await this.database.rows(findRecipient, [exact, withoutSubAddress(exact)]);
    if (!found) throw refusals.foreignDomain();
    if (!isWhole(found)) throw refusals.unknownRecipient();
    return found;
  }
}

const isWhole = (found: { [K in keyof Recipient]: Recipient[K] | null }): found is Recipient =>
  found.mailboxId !== null;
