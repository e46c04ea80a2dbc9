import preset from '../../jest.preset.mjs';

/** Attacks by one workspace, or by strangers, on a product of its own, while another one works. */
export default {
  ...preset,
  globalSetup: undefined,
  globalTeardown: undefined,
  testMatch: ['<rootDir>/src/hostile/*.spec.ts'],
  testTimeout: 120_000,
};
