import { Module } from '@nestjs/common';
import { BooksModule } from './books/index.js';
import { ContactsModule } from './contacts/index.js';
import { MergingModule } from './merging/index.js';

/** The features of the service. */
@Module({ imports: [BooksModule, ContactsModule, MergingModule] })
export class DirectoryModule {}
