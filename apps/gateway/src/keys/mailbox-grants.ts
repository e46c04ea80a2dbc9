import { Injectable } from '@nestjs/common';
import {
  invalidField,
  mailboxes,
  Problem,
  type MailboxAccess,
  type MailboxGrant,
  type MailboxList,
} from '@postroom/contracts';
import { OperationClient, type Reading } from '@postroom/operations';

/** Checks the mailboxes of grants with the mail service, which owns them. */
@Injectable()
export class MailboxGrants {
  constructor(private readonly operations: OperationClient) {}

  /** @throws Problem INVALID_REQUEST when a mailbox is not one of the workspace's */
  async check(
    { caller, requestId }: Reading,
    given: readonly MailboxGrant[],
  ): Promise<Record<string, MailboxAccess>> {
    if (given.length === 0) return {};
    const answer = await this.operations.call(mailboxes.list, caller, {}, { requestId });
    if (answer.problem !== null) throw new Problem('SERVICE_UNAVAILABLE');
    const { items } = JSON.parse(answer.body.toString()) as MailboxList;
    const addresses = given.map(({ address }) => address);
    const twice = addresses.findIndex((address, i) => addresses.indexOf(address) < i);
    if (twice >= 0) {
      const field = `mailboxes.${twice}.address`;
      throw invalidField(field, 'boîte donnée deux fois', 'this mailbox is given twice');
    }
    const known = new Set(items.map(({ address }) => address));
    const unknown = given.findIndex(({ address }) => !known.has(address));
    if (unknown >= 0) {
      const field = `mailboxes.${unknown}.address`;
      throw invalidField(field, 'boîte inconnue', 'there is no such mailbox');
    }
    return Object.fromEntries(given.map(({ address, access }) => [address, access]));
  }
}
