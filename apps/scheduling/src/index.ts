export { SchedulingConfig } from './config.js';
export { makeFirstCalendar, type CalendarOwner } from './first-calendar.js';
export { createSchedulingApp, schedulingService } from './scheduling-app.js';
export { exportEvents } from './transfer/index.js';
export { schedulingSchema } from './migrations/index.js';
