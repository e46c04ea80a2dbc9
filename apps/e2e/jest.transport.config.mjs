import cluster from './jest.cluster.config.mjs';

/** What a transport can change, and one happy path a family: docs/testing.md. */
const specs = [
  'cluster',
  'crash',
  'events',
  'families',
  'import-round-trip',
  'imports',
  'sends-large',
];

/** The part of the suite over Kafka that `npm test` runs. */
export default {
  ...cluster,
  testMatch: specs.map((name) => `<rootDir>/src/${name}.spec.ts`),
  // So few files start products of their own that two lanes seldom do so at once.
  runner: '<rootDir>/lanes.mjs',
};
