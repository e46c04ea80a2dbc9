import { Injectable } from '@nestjs/common';
import {
  Problem,
  type ConversationItem,
  type ConversationPage,
  type ListConversations,
} from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { PageTokens, statement, type Cursor } from '@postroom/persistence';
import { conversationColumns } from './conversation.view.js';
import { instant } from './instant.js';

/**
 * A delivery has the time of its beginning, and is seen once it has committed: the list is taken as
 * it stood a moment ago, so that what was under way when the walk began counts as arriving later.
 */
const underWayMs = 1_000;

/** An item, and where it stood in the list when the walk began. */
interface Found {
  readonly item: ConversationItem;
  readonly stoodAt: string;
}

const newest = statement<ConversationItem>(
  'conversations.list',
  `SELECT ${conversationColumns('c', '$2::text')} FROM list_conversations($1, $2, $3) c`,
);

const following = statement<ConversationItem & { stoodAt: string }>(
  'conversations.list_following',
  `SELECT ${conversationColumns('(f.conversation)', '$2::text')},
     ${instant('f.stood_at')} AS "stoodAt"
   FROM continue_conversations($1, $2, $3, $4, $5, $6) f`,
);

const mailboxExists = statement<{ exists: boolean }>(
  'conversations.mailbox_exists',
  'SELECT mailbox_exists($1, $2) AS exists',
);

/**
 * Pages of a mailbox's inbox, newest first. A walk shows the list as it stood at its first page:
 * what arrives meanwhile comes neither twice nor in the way of what was there.
 */
@Injectable()
export class ConversationPages {
  constructor(private readonly tokens: PageTokens) {}

  async read(context: Reading, input: ListConversations): Promise<ConversationPage> {
    const { mailbox, limit, pageToken } = input;
    const query = JSON.stringify(['conversations.list', context.tenantId, mailbox]);
    const cursor = pageToken === undefined ? null : this.tokens.read(query, pageToken);
    const nowMs = Date.now();
    const found = await (cursor
      ? readFollowing(context, mailbox, cursor, limit + 1)
      : readNewest(context, mailbox, limit + 1));
    if (found.length === 0) await requireMailbox(context, mailbox);
    const shown = found.slice(0, limit);
    const last = found.length > limit ? shown.at(-1) : undefined;
    return {
      mailbox,
      conversations: shown.map(({ item }) => item),
      nextPageToken: last
        ? this.tokens.issue(query, {
            asOfMs: cursor?.asOfMs ?? Math.max(nowMs - underWayMs, newestMs(found)),
            after: { atMs: Date.parse(last.stoodAt), id: last.item.id },
          })
        : null,
    };
  }
}

async function readNewest(context: Reading, mailbox: string, count: number): Promise<Found[]> {
  const items = await context.rows(newest, [mailbox, count]);
  return items.map((item) => ({ item, stoodAt: item.lastMessageAt }));
}

async function readFollowing(
  context: Reading,
  mailbox: string,
  { asOfMs, after }: Cursor,
  count: number,
): Promise<Found[]> {
  const times = [asOfMs, after.atMs].map((ms) => new Date(ms).toISOString());
  const rows = await context.rows(following, [mailbox, ...times, after.id, count]);
  return rows.map(({ stoodAt, ...item }) => ({ item, stoodAt }));
}

/** What the first page has shown had arrived. */
const newestMs = ([first]: readonly Found[]): number => (first ? Date.parse(first.stoodAt) : 0);

async function requireMailbox(context: Reading, mailbox: string): Promise<void> {
  const [found] = await context.rows(mailboxExists, [mailbox]);
  if (!found?.exists) throw new Problem('MAILBOX_NOT_FOUND');
}
