import { setting } from '@postroom/service';
import { BlobsConfig } from './blobs-config.js';

/** What every service is told by its environment. */
export class BusServiceConfig extends BlobsConfig {
  @setting.secret(
    'CALLER_KEY',
    'Key that signs callers for this service, base64; while it is changed two, `key,key`: the first signs.',
  )
  callerKey!: string;
}

/** What every service with a database is told by its environment. */
export class ServiceConfig extends BusServiceConfig {
  @setting.url(
    'DATABASE_URL',
    'PostgreSQL, as the role of the service’s schema; while its password is changed with two, `role:old,new@`.',
    { protocols: ['postgres:', 'postgresql:'] },
  )
  databaseUrl!: string;

  @setting.integer('DATABASE_POOL_SIZE', 'Connections to PostgreSQL.', {
    default: 5,
    min: 2,
    max: 100,
  })
  poolSize!: number;

  @setting.keyring('SECRETS_KEYS', 'Keyring of the secrets at rest.')
  secretsKeys!: string;
}
