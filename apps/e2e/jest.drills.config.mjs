import preset from '../../jest.preset.mjs';

/** Restart, upgrade, restore under load (src/drills): on deployments, brokers and databases of their own. */
export default {
  ...preset,
  globalSetup: undefined,
  globalTeardown: undefined,
  testMatch: ['<rootDir>/src/drills/*.spec.ts'],
};
