export { SuppressionSettingsHandlers, SuppressionsHandlers } from './suppressions.handlers.js';
