export * from './bus.js';
export * from './by-reference.js';
export * from './envelope.js';
export { eventKey } from './event-record.js';
export * from './in-process-bus.js';
export type { DeadLetter } from './in-process-events.js';
export { defaultRetry, type Retry } from './delivery.js';
export { KafkaBus, type KafkaBusOptions, type UnsignedKind } from './kafka/kafka-bus.js';
export {
  compareRights,
  grantRights,
  type RightsDifference,
  type UserRights,
} from './kafka/acls.js';
export { traced } from './traced-bus.js';
export type { KafkaPlace, KafkaSecurity } from './kafka/security.js';
export {
  createTopics,
  missingTopics,
  topicsAtRisk,
  type TopicAtRisk,
  type TopicCounts,
} from './kafka/topics.js';
export {
  listDeadLetters,
  replayDeadLetters,
  type DeadLetterAccess,
  type DeadLetterRecord,
} from './kafka/dead-letter-replay.js';
