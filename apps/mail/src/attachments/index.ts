export { AttachmentsHandlers } from './attachments.handlers.js';
export { LargeFiles } from './large-files.js';
