import preset from '../../jest.preset.mjs';

/** The fault campaign (src/campaign): minutes long, on a cluster and a broker of its own. */
export default {
  ...preset,
  globalSetup: undefined,
  globalTeardown: undefined,
  testMatch: ['<rootDir>/src/campaign/*.spec.ts'],
};
