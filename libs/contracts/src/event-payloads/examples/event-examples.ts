import type { EventEnvelope, EventType } from '../../events.js';

/** An event of some types. */
export type EventExamples = Partial<Readonly<Record<EventType, EventEnvelope>>>;
