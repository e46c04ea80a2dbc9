export { AttachmentsModule } from './attachments.module.js';
