/** The settings of the specs, from Jest's global set-up and its environment. */
export interface TestConfig {
  /** The folder of this run of Jest. */
  readonly runFolder: string;
  /** An administrator's URL of a server to use in place of one of the run's own. */
  readonly databaseUrl: string | undefined;
}

/** @throws Error outside a run of Jest that uses `jest.preset.mjs` */
export function testConfig(): TestConfig {
  const { POSTROOM_TEST_RUN: runFolder, TEST_DATABASE_URL: databaseUrl } = process.env;
  if (runFolder === undefined) {
    throw new Error('No test run: jest.preset.mjs names the global set-up that begins one.');
  }
  return { runFolder, databaseUrl: databaseUrl || undefined };
}

/** The environment of a shell, with the folder of packages of a Python program. */
export const pythonEnvironment = (folder: string): NodeJS.ProcessEnv => ({
  ...process.env,
  PYTHONPATH: folder,
  PYTHONIOENCODING: 'utf-8',
});

/** The most repetitions of anything that a run makes; undefined where each spec says for itself. */
export function propertyRuns(): number | undefined {
  const { PROPERTY_RUNS: bound } = process.env;
  return bound ? Number(bound) : undefined;
}
