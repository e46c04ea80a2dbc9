export { LatestDispatcher } from './latest-dispatcher.js';
export type { LatestRequest, MoreMethods } from './latest-request.js';
export { tasksOf } from './tasks.js';
