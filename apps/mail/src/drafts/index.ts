export { DraftsHandlers } from './drafts.handlers.js';
export { UploadStepsHandlers } from './uploads.handlers.js';
export {
  findDraft,
  lockDraft,
  shownDraft,
  tellOfDraft,
  type LockedDraft,
} from './stored-drafts.js';
