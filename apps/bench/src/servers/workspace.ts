import { InProcessBus } from '@postroom/bus';
import { createDirectoryApp, DirectoryConfig } from '@postroom/directory';
import { createSchedulingApp, SchedulingConfig } from '@postroom/scheduling';
import { createLog, Health, loadConfig, Metrics } from '@postroom/service';
import { serve } from './serve.js';
import { startProduct } from './start-product.js';

/** The product with contacts and calendars. */
serve(async (setup) => {
  const bus = new InProcessBus();
  const log = createLog({ level: 'warn', format: 'plain' });
  const parts = { bus, log, metrics: new Metrics(), health: new Health([]) };
  const environment = (name: 'directory' | 'scheduling') => ({
    DATABASE_URL: setup.databaseUrls[name],
    BLOBS_DATABASE_URL: setup.databaseUrls.blobs,
    SECRETS_KEYS: setup.secretsKeys,
    CALLER_KEY: setup.callerKeys[name],
  });
  const services = [
    await createDirectoryApp(loadConfig(DirectoryConfig, environment('directory')), parts),
    await createSchedulingApp(loadConfig(SchedulingConfig, environment('scheduling')), parts),
  ];
  for (const service of services) await service.listen();
  const product = await startProduct(setup, bus);
  return {
    ...product,
    async close() {
      await product.close();
      for (const service of services) await service.close();
    },
  };
});
