export { AttachmentsHandlers, bytesOfDraftFile } from './attachments.handlers.js';
export { downloadHeaders } from './download-headers.js';
export { LargeFiles } from './large-files.js';
