import preset from '../../jest.preset.mjs';

/**
 * The suite knows the product from outside only, so the product has to be built: `tsc -b` first.
 * One product serves most spec files; it starts and stops once a run.
 */
export default {
  ...preset,
  globalSetup: '<rootDir>/global-setup.mjs',
  globalTeardown: '<rootDir>/global-teardown.mjs',
  // What only several processes can do: jest.cluster.config.mjs and jest.campaign.config.mjs; what
  // attacks: jest.hostile.config.mjs; and what installs packages: jest.mcp.config.mjs.
  testPathIgnorePatterns: [
    '/(cluster|rotation|secured-cluster|three-brokers)[.]spec[.]ts$',
    '/src/(campaign|drills|hostile|mcp-clients)/',
  ],
  testTimeout: 120_000,
  runner: '<rootDir>/lanes.mjs',
};
