export { TasksModule } from './tasks.module.js';
export { findTask } from './stored-tasks.js';
export type { StoredTask } from './task-record.js';
