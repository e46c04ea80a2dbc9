import { Module } from '@nestjs/common';
import { BooksModule } from './books/index.js';
import { ContactsModule } from './contacts/index.js';

/** The features of the service. */
@Module({ imports: [BooksModule, ContactsModule] })
export class DirectoryModule {}
