export { LatestDispatcher } from './latest-dispatcher.js';
export type { LatestMethod, LatestRequest, MoreMethods } from './latest-request.js';
export { tasksOf } from './tasks.js';
