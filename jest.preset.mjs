import { fileURLToPath } from 'node:url';
import { swcOptions } from './tools/swc-options.mjs';

const fromRoot = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * @nestjs/throttler 6 is CommonJS and requires ESM Nest: loading Nest first breaks the cycle. For the
 * `setupFiles` of projects whose specs load the gateway; in every spec it would cost 0.2 s of CPU.
 */
export const nestFirst = fromRoot('tools/jest-setup.mjs');

/** Specs run from TypeScript source, as ES modules, with nothing built (docs/adr/0002). */
export default {
  testEnvironment: 'node',
  testEnvironmentOptions: {
    customExportConditions: ['@postroom/source', 'node'],
  },
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', swcOptions],
  },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  globalSetup: fromRoot('libs/testing/jest/global-setup.mjs'),
  globalTeardown: fromRoot('libs/testing/jest/global-teardown.mjs'),
  testMatch: ['<rootDir>/src/**/*.spec.ts'],
  testTimeout: 30_000,
};
