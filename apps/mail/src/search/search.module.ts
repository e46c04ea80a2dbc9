import { Module } from '@nestjs/common';
import { StoredMessages } from './index-stored.js';
import { SearchHandlers } from './search.handlers.js';

@Module({ controllers: [SearchHandlers], providers: [StoredMessages] })
export class SearchModule {}
