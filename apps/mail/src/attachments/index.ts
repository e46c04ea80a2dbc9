export { AttachmentsHandlers, bytesOfDraftFile, findFile } from './attachments.handlers.js';
export { downloadHeaders } from './download-headers.js';
export { LargeFiles, partNamed, type FileContent, type FilePart } from './large-files.js';
