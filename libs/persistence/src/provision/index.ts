export * from './service-schema.js';
export { provision, type ProvisionOptions } from './provision.js';
export { requireMigrations } from './recorded-migrations.js';
export {
  lookupRole,
  type MadeFile,
  type Migration,
  serviceRole,
  type ServiceSchema,
} from './service-schema.js';
export { serviceUrls, type SignIn, withDatabase, withUser } from './service-url.js';
export { readSqlFiles } from './sql-files.js';
