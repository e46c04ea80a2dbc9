export { eventExamples } from './examples/index.js';
export * from './integration-test.js';
export * from './messaging.js';
export * from './payloads.js';
export { eventSchema } from './schema.js';
