import {
  createService,
  UnitOfWork,
  type ProcessParts,
  type Service,
  type ServiceDefinition,
} from '@postroom/operations';
import { Database } from '@postroom/persistence';
import { visibleBooks } from './books/index.js';
import { startSweeping } from './deletion/index.js';
import { DirectoryConfig } from './config.js';
import { DirectoryModule } from './directory.module.js';
import { directorySchema } from './migrations/index.js';

/** Builds the service from its configuration and a bus. */
export async function createDirectoryApp(
  config: DirectoryConfig,
  process: ProcessParts,
): Promise<Service> {
  const { log } = process;
  const service = await createService({
    name: 'directory',
    config,
    process,
    module: () => DirectoryModule,
    visible: visibleBooks,
  });
  let stopSweeping: () => Promise<void> = () => Promise.resolve();
  return {
    ...service,
    async listen() {
      await service.listen();
      const [database, work] = [service.get(Database), service.get(UnitOfWork)];
      stopSweeping = startSweeping({ database, work, log });
    },
    async close() {
      await stopSweeping();
      await service.close();
    },
  };
}

/** Contacts, address books and merging. */
export const directoryService: ServiceDefinition<DirectoryConfig> = {
  name: 'directory',
  config: DirectoryConfig,
  schema: directorySchema,
  create: createDirectoryApp,
  sendsRequests: false,
};
