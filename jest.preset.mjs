import { fileURLToPath } from 'node:url';
import { swcOptions } from './tools/swc-options.mjs';

const fromRoot = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Specs run from TypeScript source, as ES modules, with nothing built (docs/adr/0002, 0054). */
export default {
  testEnvironment: fromRoot('tools/jest/environment.mjs'),
  runtime: fromRoot('tools/jest/runtime.mjs'),
  // The globals of a file that has ended would be there for the next.
  injectGlobals: false,
  transform: {
    '^.+\\.ts$': ['@swc/jest', swcOptions],
  },
  globalSetup: fromRoot('libs/testing/jest/global-setup.mjs'),
  globalTeardown: fromRoot('libs/testing/jest/global-teardown.mjs'),
  testMatch: ['<rootDir>/src/**/*.spec.ts'],
  // Nothing that works takes so long: how fast a machine is decides nothing.
  testTimeout: 300_000,
};
