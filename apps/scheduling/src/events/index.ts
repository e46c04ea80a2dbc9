export { EventsModule } from './events.module.js';
export { deleteEventsOf } from './event-changes.js';
export { busyTimesOf } from './occurrences.js';
export { listEvents } from './stored-events.js';
