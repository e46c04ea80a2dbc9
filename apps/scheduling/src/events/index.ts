export { EventsModule } from './events.module.js';
export { deleteEventsOf } from './event-changes.js';
