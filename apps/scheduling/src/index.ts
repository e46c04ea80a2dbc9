export { SchedulingConfig } from './config.js';
export { createSchedulingApp, schedulingService } from './scheduling-app.js';
export { exportEvents } from './transfer/index.js';
export { schedulingSchema } from './migrations/index.js';
