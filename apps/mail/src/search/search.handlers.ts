import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Caller } from '@postroom/access';
import { search, type Participant, type SearchResult } from '@postroom/contracts';
import { handlers, type Reading } from '@postroom/operations';
import { instant, statement } from '@postroom/persistence';
import { requireMailboxExists } from '../conversations/index.js';
import { matchedIn } from './highlights.js';
import { parseQuery } from './parse-query.js';
import { searchArguments, type Search } from './search-arguments.js';
import { written } from './search-document.js';

/** Search in a shared mailbox. */
export const SearchHandlers = handlers(search, {
  conversations: async (context, { mailbox, q, limit }) => {
    const results = await findConversations(context, { mailbox, query: parseQuery(q), limit });
    if (results.length === 0) await requireMailboxExists(context, mailbox);
    return { mailbox, query: q, results };
  },
});

/** Characters that are searched for highlights: of all texts of a page, and of one text. */
const pageTextMax = 1_000_000;
const textMax = 100_000;
/** Recipients of a message, and characters of them, that are searched. */
const recipientsMax = 50;
const recipientsTextMax = 2_000;
/** Characters that are searched without a pause: a few milliseconds. */
const stretchMax = 20_000;

interface MessageRow {
  readonly conversationId: string;
  readonly messageId: string;
  readonly subject: string;
  readonly preview: string;
  readonly from: Participant | null;
  readonly to: Participant[];
  readonly text: string;
  readonly lastMessageAt: string;
  readonly labels: string[];
}

const find = statement<MessageRow>(
  'search.conversations',
  `SELECT m.conversation_id AS "conversationId", m.id AS "messageId", m.subject, m.preview,
     m.sender AS "from", m.text,
     jsonb_path_query_array(m.recipients || m.cc, '$[0 to ${recipientsMax - 1}]') AS "to",
     ${instant('m.last_message_at')} AS "lastMessageAt", m.labels
   FROM search_messages($1, $2, $3, $4, $5::jsonb, $6) WITH ORDINALITY found (message, place)
   CROSS JOIN LATERAL found_message($1, found.message, $7) m
   ORDER BY found.place`,
);

/** The conversations that match, newest first; none when there is nothing to search for. */
async function findConversations(
  context: Reading,
  search: Omit<Search, 'me'>,
): Promise<SearchResult[]> {
  const { terms, filters } = search.query;
  if (terms.length === 0 && filters.length === 0) return [];
  const characters = Math.min(textMax, Math.floor(pageTextMax / search.limit));
  const given = searchArguments({ ...search, me: addressOf(context.caller) });
  const found = await context.rows(find, [...given, characters]);
  const results: SearchResult[] = [];
  let sinceYield = 0;
  for (const { to: recipients, text, ...shown } of found) {
    const to = recipients.map(written).join(', ').slice(0, recipientsTextMax);
    results.push({
      ...shown,
      ...matchedIn({ subject: shown.subject, from: shown.from, to, text }, terms),
    });
    sinceYield += text.length + to.length;
    if (sinceYield < stretchMax) continue;
    // Other work of the thread runs between long texts.
    await yieldToOthers();
    sinceYield = 0;
  }
  return results;
}

const addressOf = (caller: Caller): string | null =>
  caller.type === 'key' ? (caller.member?.email ?? null) : caller.email;
