import { Module } from '@nestjs/common';
import { AttachmentsHandlers } from './attachments.handlers.js';

@Module({ controllers: [AttachmentsHandlers] })
export class AttachmentsModule {}
