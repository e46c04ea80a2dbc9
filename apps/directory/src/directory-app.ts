import { Module } from '@nestjs/common';
import {
  createService,
  type ProcessParts,
  type Service,
  type ServiceDefinition,
} from '@postroom/operations';
import { BookListsHandlers, BooksHandlers, visibleBooks } from './books/index.js';
import { DirectoryConfig } from './config.js';
import { ContactPagesHandlers } from './contact-pages.handlers.js';
import { ContactsHandlers, purgePhotos } from './contacts/index.js';
import { DeletedBooks } from './deleted-books.js';
import { MergingHandlers } from './merging/index.js';
import { directorySchema } from './migrations/index.js';
import { PersonsHandlers } from './persons.handlers.js';
import { SendersHandlers } from './senders.handlers.js';
import { ExportHandlers, ImportStepsHandlers } from './transfer/index.js';

@Module({
  controllers: [
    BookListsHandlers,
    BooksHandlers,
    ContactPagesHandlers,
    ContactsHandlers,
    ExportHandlers,
    ImportStepsHandlers,
    MergingHandlers,
    PersonsHandlers,
    SendersHandlers,
  ],
  providers: [DeletedBooks],
})
class DirectoryModule {}

/** Builds the service from its configuration and a bus. */
export const createDirectoryApp = (
  config: DirectoryConfig,
  process: ProcessParts,
): Promise<Service> =>
  createService({
    name: 'directory',
    config,
    process,
    module: () => DirectoryModule,
    quotas: { contacts: config.quotaContacts },
    jobs: [purgePhotos],
    visible: visibleBooks,
  });

/** Contacts, address books and merging. */
export const directoryService: ServiceDefinition<DirectoryConfig> = {
  name: 'directory',
  config: DirectoryConfig,
  schema: directorySchema,
  create: createDirectoryApp,
  sendsRequests: false,
};
