import { conditionsOf } from './conditions.js';
import type { SearchQuery } from './parse-query.js';
import { textMatch } from './ts-query.js';

/** What is searched, where, for whom, and how many conversations are wanted. */
export interface Search {
  readonly mailbox: string;
  readonly query: SearchQuery;
  readonly limit: number;
  /** Address of the member who asks, or whose key does. */
  readonly me: string | null;
}

/** The arguments of PostgreSQL's `search_messages`, behind the tenant. */
export function searchArguments({ mailbox, query, limit, me }: Search): unknown[] {
  const { full, indexed } = textMatch(query);
  const conditions = conditionsOf(query.filters, me);
  return [mailbox, full, indexed, conditions && JSON.stringify(conditions), limit];
}
