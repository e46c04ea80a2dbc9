import preset from '../../jest.preset.mjs';
import { nodeEnvironment, nodeOptions } from '../../tools/run/node-options.mjs';
import { suite } from './suite.mjs';

// Their bounds on memory are those of `npm start`.
if (['hostile', 'imap'].includes(suite.name)) {
  process.env.POSTROOM_E2E_NODE_OPTIONS = nodeOptions.join(' ');
  Object.assign(process.env, nodeEnvironment);
}

/**
 * The suite knows the product from outside only, so the product has to be built: `tsc -b` first. One
 * product serves the spec files that have none of their own; it starts and stops once a run. They
 * count what its workspaces hold, so one file runs at a time; tools/run.mjs allows more where it may.
 */
export default {
  ...preset,
  testMatch: suite.files.map((path) => `<rootDir>/src/${path}`),
  globalSetup: '<rootDir>/global-setup.mjs',
  globalTeardown: '<rootDir>/global-teardown.mjs',
  maxWorkers: 1,
};
