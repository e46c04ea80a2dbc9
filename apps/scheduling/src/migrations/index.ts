import { serviceSchema } from '@postroom/operations';
import { init } from './2026-11-28-init.js';

/** The service's schema. */
export const schedulingSchema = serviceSchema({
  name: 'scheduling',
  migrations: [init],
  functions: new URL('../../src/', import.meta.url),
  counts: [
    { table: 'calendar_events', quota: 'events' },
    { table: 'tasks', quota: 'tasks' },
  ],
  timed: [{ table: 'reminder_cursors', column: 'look_ms', clock: 'real', isMillis: true }],
});
