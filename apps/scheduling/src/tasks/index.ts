export { findTask } from './stored-tasks.js';
export type { StoredTask } from './task-record.js';
export { TasksHandlers } from './tasks.handlers.js';
