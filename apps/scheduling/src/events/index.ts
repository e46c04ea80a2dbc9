export { attendeesAt, attendeesFrom } from './attendees.js';
export { EventsHandlers } from './events.handlers.js';
export { addEvent, deleteEventsOf, rewriteEvent } from './event-changes.js';
export {
  emptyEvent,
  endQuestion,
  answeredEnd,
  withGiven,
  type EventRecord,
  type SpannedRecord,
  type StoredEvent,
} from './event-record.js';
export { eventView } from './event.view.js';
export { Expansion } from './expansion.js';
export { occurrencesOf, type SpannedEvent } from './occurrences.js';
export { endsOf, timesOf } from './override-times.js';
export {
  occurrenceQuestion,
  requireOccurrence,
  withoutOccurrence,
  withOverride,
} from './series.js';
export { Windows } from './windows.js';
export {
  candidatesMax,
  findEvent,
  listEvents,
  listEventsAfter,
  lockEventByUid,
  readEvents,
} from './stored-events.js';
