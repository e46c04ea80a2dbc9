import type { RequestOptions } from '../../api/api.js';
import type { InboxSearch, View } from '../search-params.js';
import type { Row } from './rows.js';

/** The conversations that a list shows, and their order. */
export interface ListQuery extends Omit<InboxSearch, 'in'> {
  readonly view: View;
  /** Address of the member. */
  readonly me: string;
}

const placementOf = (view: View): Row['placement'] =>
  view === 'archived' || view === 'spam' || view === 'trash' ? view : 'inbox';

const assigneeOf = ({ view, me, assignee }: ListQuery): string | undefined => {
  if (view === 'mine') return me;
  return view === 'unassigned' ? 'none' : assignee;
};

const snoozedOf = (view: View): 'only' | 'include' | undefined => {
  if (view === 'snoozed') return 'only';
  return placementOf(view) === 'inbox' ? undefined : 'include';
};

/** The same question to the server. */
export const parametersOf = (query: ListQuery): NonNullable<RequestOptions['query']> => ({
  placement: placementOf(query.view),
  assignee: assigneeOf(query),
  snoozed: snoozedOf(query.view),
  ...{ teamId: query.team, label: query.label, status: query.status },
  ...{ unread: query.unread, sort: query.sort },
});

const fold = (label: string): string =>
  label.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();

const isSnoozed = ({ snoozedUntil }: Row, nowMs: number): boolean =>
  snoozedUntil !== null && Date.parse(snoozedUntil) > nowMs;

const tests: readonly ((query: ListQuery, row: Row, nowMs: number) => boolean)[] = [
  ({ mailbox }, row) => mailbox === undefined || row.mailbox === mailbox,
  ({ view }, row) => row.placement === placementOf(view),
  (query, row) => {
    const wanted = assigneeOf(query);
    return wanted === undefined || (row.assignee ?? 'none') === wanted;
  },
  ({ view }, row, nowMs) =>
    snoozedOf(view) === 'include' || isSnoozed(row, nowMs) === (view === 'snoozed'),
  ({ team }, row) => team === undefined || row.teamId === team,
  ({ label }, row) => label === undefined || row.labels.some((one) => fold(one) === fold(label)),
  ({ status }, row) => status === undefined || row.status === status,
  ({ unread }, row) => unread === undefined || row.unread === unread,
  ({ sort }, row) => sort !== 'waiting' || row.waitingSince !== null,
];

/** True if the server would list the row. */
export const belongs = (query: ListQuery, row: Row, nowMs = Date.now()): boolean =>
  tests.every((test) => test(query, row, nowMs));

const keyOf = ({ sort }: ListQuery, row: Row): string =>
  sort === 'waiting' ? (row.waitingSince ?? row.lastMessageAt) : row.lastMessageAt;

/** The order of the server: by time, ties by id. */
export function comparatorOf(query: ListQuery): (a: Row, b: Row) => number {
  const direction = query.sort === undefined ? -1 : 1;
  return (a, b) => {
    const [x, y] = [keyOf(query, a), keyOf(query, b)];
    if (x !== y) return x < y ? -direction : direction;
    return a.id < b.id ? -direction : direction;
  };
}
