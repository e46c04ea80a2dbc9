import { Module } from '@nestjs/common';
import { DraftPages } from './draft-pages.js';
import { DraftsHandlers } from './drafts.handlers.js';

@Module({ controllers: [DraftsHandlers], providers: [DraftPages] })
export class DraftsModule {}
