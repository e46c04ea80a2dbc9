export * from './bus.js';
export * from './bus-record.js';
export * from './by-reference.js';
export * from './envelope.js';
export { eventKey } from './event-record.js';
export * from './in-process-bus.js';
export { KafkaBus } from './kafka/kafka-bus.js';
export { compareRights, grantRights, type UserRights } from './kafka/acls.js';
export * from './rights.js';
export type { BodyStore } from './stored-bodies.js';
export * from './topics.js';
export { traced } from './traced-bus.js';
export type { KafkaConnection, KafkaSecurity } from './kafka/client.js';
export { createTopics, missingTopics, topicsAtRisk, type TopicAtRisk } from './kafka/topics.js';
export {
  listDeadLetters,
  replayDeadLetters,
  type DeadLetterAccess,
} from './kafka/dead-letter-replay.js';
