import { DataSource, MigrationExecutor } from 'typeorm';
import { messageOf } from '../server/setup-error.js';
import type { ServiceSchema } from './service-schema.js';

/**
 * Runs a schema's pending migrations, each in a transaction of its own, with names that they do not
 * qualify looked up in the schema and then in `public` (the extensions). What has run is recorded
 * in the schema's table `migrations`.
 */
export async function migrate(adminUrl: string, schema: ServiceSchema): Promise<void> {
  const dataSource = new DataSource({
    type: 'postgres',
    url: adminUrl,
    schema: schema.name,
    migrations: [...schema.migrations],
    migrationsTableName: 'migrations',
    synchronize: false,
    installExtensions: false,
    // Through the package `debug`, silent unless asked for: the caller reports what is thrown.
    logger: 'debug',
    extra: { max: 2 },
  });
  await dataSource.initialize();
  const runner = dataSource.createQueryRunner();
  try {
    await runner.query(`SET search_path = ${schema.name}, public`);
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'each';
    await executor.executePendingMigrations();
  } catch (error) {
    throw new Error(`The migrations of schema ${schema.name} failed: ${messageOf(error)}`, {
      cause: error,
    });
  } finally {
    await runner.release();
    await dataSource.destroy();
  }
}
