import { beginRun, endRun, sweepRuns } from '../../libs/testing/jest/test-run.mjs';

/** The bytes that the products, databases and brokers of a run keep at the same time, with room to spare. */
const bytesMin = 6 * 2 ** 30;

/**
 * The folder that products of this run are made in: in memory, where there is so much, since a dozen
 * processes otherwise wait for one disk.
 */
export async function beginRunFolder() {
  await sweepRuns();
  process.env.POSTROOM_E2E_FOLDER = await beginRun(bytesMin);
}

export const removeRunFolder = () => endRun(process.env.POSTROOM_E2E_FOLDER);
