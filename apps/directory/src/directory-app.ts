import {
  createService,
  type ProcessParts,
  type Service,
  type ServiceDefinition,
} from '@postroom/operations';
import { visibleBooks } from './books/index.js';
import { DirectoryConfig } from './config.js';
import { DirectoryModule } from './directory.module.js';
import { directorySchema } from './migrations/index.js';

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
