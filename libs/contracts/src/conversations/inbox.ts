import { Count, Flag, ListOf } from '../fields/index.js';
import { listedMax, ReadableMailbox } from '../lists.js';
import { family, operation } from '../operation.js';

const max = Number.MAX_SAFE_INTEGER;

/** A mailbox of a member, and what is unread in it. */
export class MailboxWithUnread extends ReadableMailbox {
  @Count('Unread conversations in its inbox.', { max })
  unread!: number;
}

/** Counts of the inboxes of a member's mailboxes, whatever the status of the conversations. */
export class InboxCounts {
  @ListOf(() => MailboxWithUnread, 'The mailboxes that the member may read, by address.', {
    max: listedMax,
  })
  mailboxes!: MailboxWithUnread[];

  @Flag('Whether there are more mailboxes than these.')
  truncated!: boolean;

  @Count('Conversations that are assigned to the member, without snoozed ones.', { max })
  mine!: number;

  @Count('Conversations that are assigned to nobody, without those the member has snoozed.', {
    max,
  })
  unassigned!: number;

  @Count('Conversations that the member has snoozed.', { max })
  snoozed!: number;
}

/** Requests of the gateway for a member's page (`GET /me` of the settings, `decisions.md` §9). */
export const inbox = family(
  'mail',
  'inbox',
  {
    counts: operation({
      http: 'GET /services/mail/inbox-counts',
      summary: 'Count what waits in the inboxes of a member',
      output: InboxCounts,
    }),
  },
  { audience: 'service' },
);
