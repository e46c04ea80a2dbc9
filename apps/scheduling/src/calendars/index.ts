export { CalendarsModule } from './calendars.module.js';
export { visibleCalendars } from './visible-calendars.js';
