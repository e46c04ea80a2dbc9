import { conditionsOf } from './conditions.js';
import type { SearchQuery } from './parse-query.js';
import { textMatch } from './ts-query.js';

/** A search: the query, the mailbox, the member, and the number of conversations. */
export interface Search {
  readonly mailbox: string;
  readonly query: SearchQuery;
  readonly limit: number;
  /** The address of the member behind the caller. */
  readonly me: string | null;
}

/** The arguments of PostgreSQL's `search_messages`, after the tenant. */
export function searchArguments({ mailbox, query, limit, me }: Search): unknown[] {
  const { full, indexed } = textMatch(query);
  const conditions = conditionsOf(query.filters, me);
  return [mailbox, full, indexed, conditions && JSON.stringify(conditions), limit];
}
