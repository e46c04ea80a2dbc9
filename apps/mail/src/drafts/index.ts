export { DraftsHandlers } from './drafts.handlers.js';
export { UploadStepsHandlers } from './uploads.handlers.js';
export { lockDraft, shownDraft, tellOfDraft } from './stored-drafts.js';
