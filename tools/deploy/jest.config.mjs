import preset from '../../jest.preset.mjs';

// What `npm run check:deploy` runs once there is a helm.
export default {
  ...preset,
  displayName: 'chart',
  globalSetup: undefined,
  globalTeardown: undefined,
  testMatch: ['<rootDir>/**/*.check.mjs'],
  // Each mutation renders three stages.
  testTimeout: 30_000,
};
