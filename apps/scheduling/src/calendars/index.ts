export { CalendarsModule } from './calendars.module.js';
