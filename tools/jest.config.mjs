import preset from '../jest.preset.mjs';

export default {
  ...preset,
  displayName: 'tools',
  globalSetup: undefined,
  globalTeardown: undefined,
  testMatch: ['<rootDir>/**/*.spec.mjs'],
};
