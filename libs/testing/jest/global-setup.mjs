import { beginRun, sweepRuns } from './test-run.mjs';

/** The run's PostgreSQL is started by the first spec that asks for it, so that others never wait. */
export default async function globalSetup() {
  await sweepRuns();
  process.env.POSTROOM_TEST_RUN = await beginRun();
}
