import alone from './jest.config.mjs';

/** The same suite against separate processes over Kafka; tools/run/kafka.mjs says where it can run. */
export default {
  ...alone,
  testPathIgnorePatterns: ['/src/(campaign|drills|hostile|mcp-clients)/'],
  runner: '<rootDir>/lanes-of-clusters.mjs',
  globalSetup: '<rootDir>/global-setup-cluster.mjs',
};
