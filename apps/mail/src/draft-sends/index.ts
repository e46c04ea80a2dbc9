export { DraftMessages } from './draft-message.js';
export { DraftSendsHandlers } from './draft-sends.handlers.js';
export { DueDrafts } from './due-drafts.js';
export { SendPermissions } from './send-permissions.js';
