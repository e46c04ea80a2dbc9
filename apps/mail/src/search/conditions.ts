import { conversationStatuses } from '@postroom/contracts';
import { labelKey } from '../conversations/index.js';
import type { Filter } from './parse-query.js';

/** Conditions on a conversation and on the time of a message; PostgreSQL's type `search_conditions`. */
export interface SearchConditions {
  readonly placements: readonly string[];
  readonly statuses: readonly string[];
  /** Null: either. */
  readonly unread: boolean | null;
  /** Keys of labels, as the labels of a mailbox have them. */
  readonly labels: readonly string[];
  readonly without_labels: readonly string[];
  readonly assignees: readonly string[];
  readonly without_assignees: readonly string[];
  /** From this time, and before this time; null: any. */
  readonly since: string | null;
  readonly until: string | null;
}

const placements = ['inbox', 'archived'] as const;

/**
 * The conditions of a query's operators, all of which have to hold; null when there are none.
 * @param me the address of the member behind the caller; without one `assigned:me` finds nothing
 */
export function conditionsOf(
  filters: readonly Filter[],
  me: string | null,
): SearchConditions | null {
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
    placements: unread.includes(true) && unread.includes(false) ? [] : allowed(placements),
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

const holds = (value: boolean, wanted: readonly boolean[]): boolean =>
  wanted.every((one) => one === value);
