import { Injectable } from '@nestjs/common';
import { Problem, type ConversationPage, type ListConversations } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { PageTokens, statement, type ListQuery } from '@postroom/persistence';
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
    const cursor = this.tokens.read(query, pageToken);
    const [firstSnapshot, , , beganAt = new Date().toISOString()] = cursor;
    const found = await scanConversations(context, input, { cursor, beganAt, count: limit + 1 });
    if (found.length === 0) await requireMailboxExists(context, mailbox);
    const { rows, nextPageToken } = this.tokens.pageOf(
      query,
      found,
      limit,
      ({ snapshot, orderedAt, item }) => [firstSnapshot ?? snapshot, orderedAt, item.id, beganAt],
    );
    const items = rows.map(({ item }) => item);
    return { mailbox, conversations: await withContacts(context, items), nextPageToken };
  }
}

const queryOf = ({ tenantId }: Reading, input: ListConversations): ListQuery => {
  const { mailbox, placement, status, assignee, label, updatedSince } = input;
  const parameters = [mailbox, placement, status, assignee, label, updatedSince];
  return ['conversations.list', tenantId, ...parameters];
};

/** @throws Problem when the workspace has no such mailbox */
export async function requireMailboxExists(context: Reading, mailbox: string): Promise<void> {
  const [found] = await context.rows(mailboxExists, [mailbox]);
  if (!found?.exists) throw new Problem('MAILBOX_NOT_FOUND');
}
