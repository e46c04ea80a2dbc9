import { Module } from '@nestjs/common';
import { LinkPagesHandlers } from './link-pages.handlers.js';

@Module({ controllers: [LinkPagesHandlers] })
export class LinkPagesModule {}
