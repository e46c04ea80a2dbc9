import preset from '../../jest.preset.mjs';
import { nodeEnvironment, nodeOptions } from '../../tools/run/node-options.mjs';

// Its memory is that of `npm start`.
process.env.POSTROOM_E2E_NODE_OPTIONS = nodeOptions.join(' ');
Object.assign(process.env, nodeEnvironment);

/** Attacks by one workspace, or by strangers, on a product of its own, while another one works. */
export default {
  ...preset,
  globalSetup: undefined,
  globalTeardown: undefined,
  testMatch: ['<rootDir>/src/hostile/*.spec.ts'],
  testTimeout: 120_000,
};
