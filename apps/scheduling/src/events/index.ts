export { attendeesAt, attendeesFrom } from './attendees.js';
export { EventsModule } from './events.module.js';
export { addEvent, deleteEventsOf, rewriteEvent } from './event-changes.js';
export {
  emptyEvent,
  timesOf,
  withGiven,
  type EventRecord,
  type StoredEvent,
} from './event-record.js';
export { busyTimesOf, occurrencesOf, type SpannedEvent } from './occurrences.js';
export { requireOccurrence, withoutOccurrence, withOverride } from './series.js';
export {
  candidatesMax,
  findEvent,
  listEvents,
  listEventsAfter,
  lockEventByUid,
} from './stored-events.js';
