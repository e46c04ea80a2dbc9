export { AttachmentsHandlers, bytesOfDraftFile, findFile } from './attachments.handlers.js';
export { downloadHeaders } from './download-headers.js';
export { LargeFiles, partNamed, plainContent, type FileContent } from './large-files.js';
