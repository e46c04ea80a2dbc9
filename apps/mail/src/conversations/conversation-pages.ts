import { Injectable } from '@nestjs/common';
import { Problem, type ConversationPage, type ListConversations } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { PageTokens, statement } from '@postroom/persistence';
import { withContacts } from '../contacts/index.js';
import { scanConversations } from './conversation-scans.js';

const mailboxExists = statement<{ exists: boolean }>(
  'conversations.mailbox_exists',
  'SELECT mailbox_exists($1, $2) AS exists',
);

/**
 * Pages of a mailbox, newest first. All pages show the list as the snapshot of the first page has it, so
 * that mail received meanwhile repeats and hides nothing. With `updatedSince` the order is that of the
 * changes, and what changes meanwhile comes again at the end (docs/adr/0017).
 */
@Injectable()
export class ConversationPages {
  constructor(private readonly tokens: PageTokens) {}

  async read(context: Reading, input: ListConversations): Promise<ConversationPage> {
    const { mailbox, limit, pageToken } = input;
    const query = queryOf(context, input);
    const cursor = pageToken === undefined ? null : this.tokens.read(query, pageToken);
    const nowMs = Date.now();
    const found = await scanConversations(context, input, { cursor, nowMs, count: limit + 1 });
    if (found.length === 0) await requireMailboxExists(context, mailbox);
    const shown = found.slice(0, limit);
    const last = found.length > limit ? shown.at(-1) : undefined;
    return {
      mailbox,
      conversations: await withContacts(
        context,
        shown.map(({ item }) => item),
      ),
      nextPageToken: last
        ? this.tokens.issue(query, {
            asOf: cursor?.asOf ?? last.snapshot,
            beganAtMs: cursor?.beganAtMs ?? nowMs,
            after: { atMs: Date.parse(last.orderedAt), id: last.item.id },
          })
        : null,
    };
  }
}

/** What a token is bound to: the workspace, every parameter but `limit`, and the token's version. */
const queryOf = ({ tenantId }: Reading, input: ListConversations): string => {
  const { mailbox, placement, status, assignee, label, updatedSince } = input;
  const parameters = [mailbox, placement, status, assignee, label, updatedSince];
  return JSON.stringify(['conversations.list', 2, tenantId, ...parameters]);
};

/** @throws Problem when the workspace has no such mailbox */
export async function requireMailboxExists(context: Reading, mailbox: string): Promise<void> {
  const [found] = await context.rows(mailboxExists, [mailbox]);
  if (!found?.exists) throw new Problem('MAILBOX_NOT_FOUND');
}
