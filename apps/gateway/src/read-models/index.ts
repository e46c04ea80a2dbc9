export { ReadModelsHandlers } from './read-models.handlers.js';
