export default {
  projects: ['<rootDir>/libs/*', '<rootDir>/apps/*'],
  // Jest takes these from the root alone when there are several projects.
  testTimeout: 30_000,
};
