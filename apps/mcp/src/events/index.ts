export { eventsOf } from './events.js';
