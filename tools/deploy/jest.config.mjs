import preset from '../../jest.preset.mjs';

// The checks of `npm run check:deploy` that need helm.
export default {
  ...preset,
  displayName: 'chart',
  globalSetup: undefined,
  globalTeardown: undefined,
  testMatch: ['<rootDir>/**/*.check.mjs'],
  // Each mutation renders three stages.
  testTimeout: 30_000,
};
