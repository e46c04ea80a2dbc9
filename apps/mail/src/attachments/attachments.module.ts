import { Module } from '@nestjs/common';
import { AttachmentsHandlers } from './attachments.handlers.js';
import { LargeFiles } from './large-files.js';

@Module({ controllers: [AttachmentsHandlers], providers: [LargeFiles] })
export class AttachmentsModule {}
