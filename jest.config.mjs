import { availableParallelism } from 'node:os';
import preset from './jest.preset.mjs';

export default {
  projects: ['<rootDir>/libs/*', '<rootDir>/apps/!(e2e)', '<rootDir>/tools'],
  // Jest takes these from the root alone when there are several projects.
  testTimeout: preset.testTimeout,
  // More than a small machine's cores: those that start servers and kill them wait most of the time.
  maxWorkers: Math.max(4, availableParallelism()),
  testSequencer: '<rootDir>/tools/jest/longest-first.mjs',
  workerIdleMemoryLimit: '1GB',
};
