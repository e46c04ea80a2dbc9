export { DraftsHandlers } from './drafts.handlers.js';
export { UploadStepsHandlers } from './uploads.handlers.js';
export { findDraft, lockDraft, shownDraft, tellOfDraft } from './stored-drafts.js';
