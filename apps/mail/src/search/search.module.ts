import { Module } from '@nestjs/common';
import { SearchHandlers } from './search.handlers.js';

@Module({ controllers: [SearchHandlers] })
export class SearchModule {}
