import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Caller } from '@postroom/access';
import { pagedResultsMax, search, type Participant, type SearchResult } from '@postroom/contracts';
import { handlers, type Reading } from '@postroom/operations';
import { instant, PageTokens, statement } from '@postroom/persistence';
import { requireMailboxExists } from '../conversations/index.js';
import { matchedIn } from './highlights.js';
import { parseQuery, type SearchQuery } from './parse-query.js';
import { searchArguments, type Search } from './search-arguments.js';
import { written } from './search-document.js';

/** Search in a shared mailbox. */
export const SearchHandlers = handlers(search, [PageTokens], (tokens) => ({
  conversations: async (context, { mailbox, q, limit, pageToken }) => {
    const query = ['search.conversations', context.tenantId, mailbox, q];
    const [shown = '0', ...cursor] = tokens.read(query, pageToken);
    const me = addressOf(context.caller);
    const count = Math.min(limit + 1, pagedResultsMax - Number(shown));
    const asked = { mailbox, query: parseQuery(q), limit: count, me, cursor };
    const characters = Math.min(textMax, Math.floor(pageTextMax / limit));
    const found = await findMessages(context, asked, characters);
    if (found.length === 0) await requireMailboxExists(context, mailbox);
    const until = cursor[0] ?? found[0]?.at ?? '';
    const { rows, nextPageToken } = tokens.pageOf(query, found, limit, (last) => [
      ...[String(Number(shown) + limit), until, last.at, last.messageId, last.conversationId],
    ]);
    return { mailbox, query: q, results: await resultsOf(rows, asked.query), nextPageToken };
  },
}));

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
  /** The time by which the results are ordered. */
  readonly at: string;
}

const find = statement<MessageRow>(
  'search.conversations',
  `SELECT m.conversation_id AS "conversationId", m.id AS "messageId", m.subject, m.preview,
     m.sender AS "from", m.text,
     jsonb_path_query_array(m.recipients || m.cc, '$[0 to ${recipientsMax - 1}]') AS "to",
     ${instant('m.last_message_at')} AS "lastMessageAt", m.labels, ${instant('found.at')} AS at
   FROM search_messages($1, $2, $3, $4, $5::jsonb, $6, $7, $8, $9, $10)
     WITH ORDINALITY found (message, at, place)
   CROSS JOIN LATERAL found_message($1, found.message, $11) m
   ORDER BY found.place`,
);

/** The messages that match, newest first; none when there is nothing to search for. */
async function findMessages(
  context: Reading,
  search: Search,
  characters: number,
): Promise<MessageRow[]> {
  const { terms, filters } = search.query;
  if (terms.length === 0 && filters.length === 0) return [];
  return context.rows(find, [...searchArguments(search), characters]);
}

async function resultsOf(
  found: readonly MessageRow[],
  { terms }: SearchQuery,
): Promise<SearchResult[]> {
  const results: SearchResult[] = [];
  let sinceYield = 0;
  for (const { to: recipients, text, at: _, ...shown } of found) {
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
