import { fileURLToPath } from 'node:url';

const fromRoot = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Specs run from TypeScript source, as ES modules, with nothing built (docs/adr/0002). */
export default {
  testEnvironment: 'node',
  testEnvironmentOptions: {
    customExportConditions: ['@postroom/source', 'node'],
  },
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        swcrc: false,
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript', decorators: true },
          transform: {
            legacyDecorator: true,
            decoratorMetadata: true,
            useDefineForClassFields: false,
          },
        },
        module: { type: 'es6' },
      },
    ],
  },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // @nestjs/throttler 6 is CommonJS and requires ESM Nest: loading Nest first breaks the cycle.
  setupFiles: [fromRoot('tools/jest-setup.mjs')],
  globalSetup: fromRoot('libs/testing/jest/global-setup.mjs'),
  globalTeardown: fromRoot('libs/testing/jest/global-teardown.mjs'),
  testMatch: ['<rootDir>/src/**/*.spec.ts'],
  testTimeout: 30_000,
};
