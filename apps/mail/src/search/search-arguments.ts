import { conversationStatuses, placements, type Placement } from '@postroom/contracts';
import type { Cursor } from '@postroom/persistence';
import { labelKey } from '../conversations/index.js';
import type { Filter, SearchQuery, Term } from './parse-query.js';
import { lexemes } from './search-document.js';

/** A search: the query, the mailbox, the member, and the number of conversations. */
export interface Search {
  readonly mailbox: string;
  readonly query: SearchQuery;
  readonly limit: number;
  /** The address of the member behind the caller. */
  readonly me: string | null;
  /** The time of the first result, then time, message and conversation of the last one before; empty on the first page. */
  readonly cursor?: Cursor;
}

/** The arguments of PostgreSQL's `search_messages`, after the tenant. */
export function searchArguments({ mailbox, query, limit, me, cursor = [] }: Search): unknown[] {
  const { full, indexed } = textMatch(query);
  const conditions = conditionsOf(query.filters, me);
  const [until = 'infinity', at = 'infinity', message = '', conversation = ''] = cursor;
  const place = [until, at, message, conversation];
  return [mailbox, full, indexed, conditions && JSON.stringify(conditions), limit, ...place];
}

/** Conditions on a conversation and on the time of a message; PostgreSQL's type `search_conditions`. */
interface SearchConditions {
  readonly placements: readonly string[];
  readonly statuses: readonly string[];
  /** Null: either. */
  readonly unread: boolean | null;
  /** Keys of labels, as the labels of a mailbox have them. */
  readonly labels: readonly string[];
  readonly without_labels: readonly string[];
  readonly assignees: readonly string[];
  readonly without_assignees: readonly string[];
  /** Messages from `since` on and before `until`; null: any. */
  readonly since: string | null;
  readonly until: string | null;
}

/** Searched, unless the query names others. */
const usualPlacements = ['inbox', 'archived'] as const;

/**
 * The conditions of a query's operators, all of which have to hold; null when there are none.
 * @param me the address of the member behind the caller; without one `assigned:me` finds nothing
 */
function conditionsOf(filters: readonly Filter[], me: string | null): SearchConditions | null {
  if (filters.every(({ kind }) => kind === 'attachment')) return null;
  const is = (value: string): boolean[] =>
    filters.flatMap((one) => (one.kind === 'is' && one.value === value ? [!one.negated] : []));
  const allowed = <T extends string>(values: readonly T[]): T[] =>
    values.filter((value) => values.every((other) => holds(value === other, is(other))));
  const labels = (negated: boolean): string[] =>
    filters.flatMap((one) =>
      one.kind === 'label' && one.negated === negated ? [labelKey(one.value)] : [],
    );
  const assignees = (negated: boolean): string[] =>
    filters.flatMap((one) =>
      one.kind === 'assignee' && one.negated === negated
        ? [one.value === 'me' ? (me ?? '') : one.value]
        : [],
    );
  const unread = is('unread');
  const days = (negated: boolean): string[] =>
    filters.flatMap((one) => (one.kind === 'before' && one.negated === negated ? [one.value] : []));
  return {
    placements:
      unread.includes(true) && unread.includes(false) ? [] : allowed(placementsOf(filters)),
    statuses: allowed(conversationStatuses),
    unread: unread[0] ?? null,
    labels: labels(false),
    without_labels: labels(true),
    assignees: assignees(false),
    without_assignees: assignees(true),
    since: days(true).sort().at(-1) ?? null,
    until: days(false).sort().at(0) ?? null,
  };
}

function placementsOf(filters: readonly Filter[]): readonly Placement[] {
  const named = filters.filter((one) => one.kind === 'in');
  const usual = named.every(({ negated }) => negated) ? usualPlacements : placements;
  return usual.filter((one) => named.every(({ value, negated }) => (value === one) !== negated));
}

const holds = (value: boolean, wanted: readonly boolean[]): boolean =>
  wanted.every((one) => one === value);

/** The condition on a message, as PostgreSQL's `tsquery` in its text form; null: none. */
interface TextMatch {
  readonly full: string | null;
  /** The part that the index is searched for; the rest is checked in what it finds. */
  readonly indexed: string | null;
}

/**
 * Shorter beginnings stand in so many words that the index takes a second to gather their messages:
 * beside anything else that is asked they are left to the messages that this finds.
 */
const indexedPrefixMin = 3;

export function textMatch({ terms, filters }: SearchQuery): TextMatch {
  const facts = filters
    .filter(({ kind }) => kind === 'attachment')
    .map(({ negated }) => `${negated ? '!' : ''}'${lexemes.attachment}'`);
  const all = new Set([...terms.map(termQuery), ...facts]);
  const narrow = new Set([...terms.filter(isNarrow).map(termQuery), ...facts]);
  const hasPositive = [...narrow].some((one) => !one.startsWith('!'));
  return { full: joined(all), indexed: joined(hasPositive ? narrow : all) };
}

const joined = (parts: ReadonlySet<string>): string | null =>
  parts.size === 0 ? null : [...parts].join(' & ');

function isNarrow({ words, ending }: Term): boolean {
  const last = words.at(-1) ?? '';
  return ending === 'whole' || last.length >= indexedPrefixMin || /[^a-z0-9]/u.test(last);
}

function termQuery({ words, field, ending, negated }: Term): string {
  const quoted = words.map((word) => `'${field ? lexemes[field](word) : word}'`);
  const phrase = quoted.join(' <-> ') + (ending === 'whole' ? '' : ':*');
  return `${negated ? '!' : ''}(${phrase})`;
}
