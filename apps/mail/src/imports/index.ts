export { ImportStepsHandlers, ImportsHandlers } from './imports.handlers.js';
export { MessageImporter } from './message-importer.js';
