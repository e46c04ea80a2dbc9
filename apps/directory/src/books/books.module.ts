import { Module } from '@nestjs/common';
import { BooksHandlers } from './books.handlers.js';

@Module({ controllers: [BooksHandlers] })
export class BooksModule {}
