import { startRounds } from '@postroom/concurrency';
import { onClock } from '@postroom/operations';
import { statement, type Database } from '@postroom/persistence';
import type { Log } from '@postroom/service';
import { findApproval, type ApprovalRow } from './approval-rows.js';
import type { Closing } from './closing.js';
import type { Execution } from './execution.js';

const everyMs = 2_000;
/** Approvals of each kind in one round. */
const roundMax = 50;

type Job = 'expire' | 'execute' | 'sign';

const toDo = statement<{ tenantId: string; id: string; what: Job }>(
  'access.approvals_to_do',
  'SELECT tenant_id AS "tenantId", id, what FROM approvals_to_do($1)',
);

/** The parts of the sweep. */
export interface SweepParts {
  readonly database: Database;
  readonly execution: Execution;
  readonly closing: Closing;
  readonly log: Log;
}

/**
 * Every two seconds: expires approvals without a decision, executes what a gateway that has died had begun, and
 * signs approvals that were closed because their key was revoked.
 * @returns how to stop it: resolves when the round under way is over
 */
export const startSweep = (parts: SweepParts): (() => Promise<void>) =>
  startRounds(() => sweep(parts), {
    everyMs,
    on: (wake) => onClock(parts.database, wake),
    onFailure: (err) => {
      parts.log.warn({ err }, 'sweep of approvals failed, retrying');
    },
  });

/** One round. One approval that fails does not stop the others. */
export async function sweep({ database, execution, closing, log }: SweepParts): Promise<void> {
  const jobs: Record<Job, (tenantId: string, id: string) => Promise<unknown>> = {
    execute: (tenantId, id) => execution.takeAndExecute(tenantId, id),
    expire: (tenantId, id) =>
      withRow(database, tenantId, id, (row) => closing.close(row, { state: 'expired' })),
    sign: (tenantId, id) => withRow(database, tenantId, id, (row) => closing.sign(row)),
  };
  for (const { tenantId, id, what } of await database.rows(toDo, [roundMax])) {
    await jobs[what](tenantId, id).catch((err: unknown) => {
      log.warn({ err, approval: id, job: what }, 'sweep of an approval failed, retrying');
    });
  }
}

async function withRow(
  database: Database,
  tenantId: string,
  id: string,
  act: (row: ApprovalRow) => Promise<unknown>,
): Promise<void> {
  const [row] = await database.rows(findApproval, [tenantId, id], tenantId);
  if (row) await act(row);
}
