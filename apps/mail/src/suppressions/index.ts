export { suppressionsOf, suppressReported } from './stored-suppressions.js';
export { SuppressionSettingsHandlers, SuppressionsHandlers } from './suppressions.handlers.js';
