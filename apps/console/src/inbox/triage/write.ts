import type { BulkAnswer, ConversationAnswer } from '@postroom/contracts';
import { api } from '../../api/api.js';
import { ApiProblem } from '../../api/problem.js';
import { askForChanges } from '../list/follow-changes.js';
import { holdRow, patchRow, rowFrom, rowOf, type Row } from '../list/rows.js';
import { inverseOf, isContested, patchOf, type Change } from './change.js';

/** A colleague was first: nothing was done. */
export class Contested extends Error {
  constructor(readonly now: Row) {
    super('Somebody changed this conversation meanwhile. Look at what it is now, and try again.');
  }
}

/** Writes to one conversation follow each other, so that each knows the version that the one before made. */
const queues = new Map<string, Promise<unknown>>();

/**
 * Shows a change at once and sends it to the server. On a refusal the row is as it was.
 * @returns the change that undoes it
 */
export function writeOne(change: Change, seen: Row): { undo: Change; done: Promise<void> } {
  const undo = inverseOf(change, seen);
  const release = holdRow(seen.id);
  patchRow(seen.id, patchOf(change, seen));
  const before = queues.get(seen.id) ?? Promise.resolve();
  const done = before
    .catch(() => undefined)
    .then(() => send(change, seen))
    .catch((error: unknown) => {
      restore(undo, seen.id);
      throw error;
    })
    .finally(() => {
      release();
      askForChanges(seen.mailbox, 300);
    });
  queues.set(seen.id, done);
  void done
    .catch(() => undefined)
    .finally(() => {
      if (queues.get(seen.id) === done) queues.delete(seen.id);
    });
  return { undo, done };
}

function restore(undo: Change, id: string): void {
  const row = rowOf(id);
  if (row) patchRow(id, patchOf(undo, row));
}

async function send(change: Change, seen: Row): Promise<void> {
  try {
    await post(change, seen, rowOf(seen.id)?.version ?? null);
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== 'VERSION_CONFLICT') throw error;
    const now = await readRow(seen);
    if (isContested(change, seen, now)) {
      patchRow(seen.id, now);
      throw new Contested(now);
    }
    await post(change, seen, now.version);
  }
}

/** A snooze has a version of its own, which no list shows; read and unread mean the same whatever came between. */
async function post(change: Change, { id, mailbox }: Row, version: number | null): Promise<void> {
  const { action, ...fields } = change;
  const isOfMember = action === 'snooze' || action === 'unsnooze';
  const { result } = await api.post<{ result: { version: number } }>(
    `/v1/conversations/${id}/${action}`,
    { mailbox, ...fields },
    version === null || isOfMember || action === 'read' ? {} : { ifMatch: version },
  );
  if (!isOfMember) patchRow(id, { version: result.version });
}

async function readRow({ id, mailbox }: Row): Promise<Row> {
  const { conversation } = await api.get<ConversationAnswer>(`/v1/conversations/${id}`, {
    mailbox,
  });
  return rowFrom(conversation);
}

/** A change that was refused, of one of several. */
export interface Refused {
  readonly row: Row;
  readonly code: string;
}

/** Shows a change of several rows at once and sends it to the server, one request a mailbox. */
export async function writeMany(change: Change, rows: readonly Row[]): Promise<readonly Refused[]> {
  const releases = rows.map(({ id }) => holdRow(id));
  for (const row of rows) patchRow(row.id, patchOf(change, row));
  const byMailbox = Map.groupBy(rows, ({ mailbox }) => mailbox);
  try {
    const answers = await Promise.all(
      [...byMailbox].map(([mailbox, some]) => postMany(change, mailbox, some)),
    );
    return answers.flat();
  } finally {
    for (const release of releases) release();
    for (const mailbox of byMailbox.keys()) askForChanges(mailbox, 300);
  }
}

async function postMany(
  change: Change,
  mailbox: string,
  rows: readonly Row[],
): Promise<readonly Refused[]> {
  const ids = rows.map(({ id }) => id);
  const back = (row: Row): void => restore(inverseOf(change, row), row.id);
  try {
    const { results } = await api.post<BulkAnswer>('/v1/conversations/bulk', {
      ...{ mailbox, ids },
      ...change,
    });
    return results.flatMap(({ id, ok, code, version }) => {
      const row = rows.find((one) => one.id === id);
      if (!row) return [];
      if (!ok) {
        back(row);
        return [{ row, code: code ?? 'UNKNOWN' }];
      }
      if (version !== null && !/snooze/.test(change.action)) patchRow(id, { version });
      return [];
    });
  } catch (error) {
    rows.forEach(back);
    throw error;
  }
}
