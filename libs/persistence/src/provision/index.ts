export * from './policies.js';
export { provision, type ProvisionOptions } from './provision.js';
export { requireMigrations } from './require-migrations.js';
export {
  lookupRole,
  type MadeFile,
  type MigrationClass,
  serviceRole,
  type ServiceSchema,
} from './service-schema.js';
export { serviceUrls, type SignIn, withDatabase, withUser } from './service-url.js';
export { readSqlFiles } from './sql-files.js';
