export { DraftsHandlers } from './drafts.handlers.js';
