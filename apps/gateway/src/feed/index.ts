export { CoveredEvents } from './covered-events.js';
export { EventsHandlers } from './events.handlers.js';
