import { Module } from '@nestjs/common';
import { BooksModule } from './books/index.js';
import { ContactsModule } from './contacts/index.js';
import { DeletionModule } from './deletion/index.js';
import { ContactPagesModule } from './contact-pages/index.js';
import { MergingModule } from './merging/index.js';
import { SendersModule } from './senders/index.js';
import { TransferModule } from './transfer/index.js';

/** The features of the service. */
@Module({
  imports: [
    BooksModule,
    ContactPagesModule,
    ContactsModule,
    DeletionModule,
    MergingModule,
    SendersModule,
    TransferModule,
  ],
})
export class DirectoryModule {}
