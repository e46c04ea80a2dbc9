export default {
  displayName: 'tools',
  testEnvironment: 'node',
  transform: {},
  testMatch: ['<rootDir>/**/*.spec.mjs'],
};
