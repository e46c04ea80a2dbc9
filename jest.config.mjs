export default {
  projects: ['<rootDir>/libs/*', '<rootDir>/apps/*', '<rootDir>/tools'],
  // Jest takes these from the root alone when there are several projects.
  testTimeout: 60_000,
  // A single worker would be Jest's own process, whose memory grows with every file it has run.
  maxWorkers: 2,
  workerIdleMemoryLimit: '1GB',
};
