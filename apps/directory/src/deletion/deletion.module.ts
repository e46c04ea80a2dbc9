import { Module } from '@nestjs/common';
import { DeletedBooks } from './deleted-books.js';

@Module({ providers: [DeletedBooks] })
export class DeletionModule {}
