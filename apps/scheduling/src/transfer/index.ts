export { FeedStepsHandlers } from './feeds.handlers.js';
export { ExportHandlers, exportEvents, ImportStepsHandlers } from './transfer.handlers.js';
