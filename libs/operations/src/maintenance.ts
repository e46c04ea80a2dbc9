import { startRounds } from '@postroom/concurrency';
import { statement, type Database, type Statement } from '@postroom/persistence';
import type { Log } from '@postroom/service';
import type { RecordedBytes } from './recorded-bytes.js';

/** Rows a job deletes at most in one call, where it says how many. */
const batchSize = 1_000;

/** A statement without parameters that a service runs every minute. */
export type MaintenanceJob = Statement<{
  /** Number of rows deleted; the job runs again at once while that is `batchSize`. */
  readonly purged?: string;
}>;

/** The jobs of the engine's tables, which every service runs. */
const ownJobs: readonly MaintenanceJob[] = [
  statement('operations.purge_replies', 'SELECT purge_replies() AS purged'),
  statement('operations.purge_inbox', 'SELECT purge_inbox() AS purged'),
  statement('operations.empty_published', 'SELECT empty_published() AS purged'),
  statement('operations.fold_volumes', 'SELECT fold_volumes() AS purged'),
  statement('operations.fold_recorded', 'SELECT fold_recorded() AS purged'),
];

interface MaintenanceOptions {
  readonly jobs?: readonly MaintenanceJob[];
  readonly everyMs?: number;
  /** Learns, after each round, who has no more room. */
  readonly recorded?: RecordedBytes;
}

/**
 * Runs, every minute, the purge of recorded replies past their 24 hours and the service's own jobs.
 * @returns how to stop it: resolves when the round under way is over
 */
export function startMaintenance(
  database: Database,
  log: Log,
  { jobs = [], everyMs = 60_000, recorded }: MaintenanceOptions = {},
): () => Promise<void> {
  return startRounds(() => runMaintenance(database, jobs, recorded), {
    everyMs,
    onFailure: (err) => {
      log.warn({ err }, 'maintenance failed');
    },
  });
}

/**
 * Runs each job once; a job that fails does not stop the others.
 * @throws AggregateError of those that failed
 */
export async function runMaintenance(
  database: Database,
  jobs: readonly MaintenanceJob[],
  recorded?: RecordedBytes,
): Promise<void> {
  const failures: unknown[] = [];
  for (const job of [...ownJobs, ...jobs]) {
    await runJob(database, job).catch((error: unknown) => failures.push(error));
  }
  await recorded?.look().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, 'maintenance jobs failed');
}

async function runJob(database: Database, job: MaintenanceJob): Promise<void> {
  for (let purged = batchSize; purged >= batchSize;) {
    const [row] = await database.rows(job, []);
    purged = Number(row?.purged ?? 0);
  }
}
