/** Starting worker threads and their priorities; loads nothing else, so that a thread starts quickly. */
export { taskOfThread, type StartedTask } from './started-task.js';
export { threadFile, type ThreadFile } from './thread-file.js';
export { lowerPriority, lowerV8Priority } from './thread-priority.js';
