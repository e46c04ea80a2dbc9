import { EventKeys } from '@postroom/access';
import type { ServiceName } from '@postroom/contracts';
import { loadConfig, setting } from '@postroom/service';
import { BlobsConfig } from './large-bodies.js';

/** Further settings of the process of a service with a database, which publishes and consumes events. */
export class EventKeysConfig {
  @setting.secret(
    'EVENT_KEY',
    'Private key that signs the events of this service: Ed25519, PKCS #8 (DER) in base64.',
  )
  eventKey!: string;

  @setting.list(
    'EVENT_PUBLIC_KEYS',
    'Public keys of the services’ events, `service:key`, DER in base64; a service may have several.',
  )
  eventPublicKeys!: readonly string[];
}

/** @throws Error that names the setting which is wrong */
export function eventKeysOf(service: ServiceName, env: NodeJS.ProcessEnv): EventKeys {
  const { eventKey, eventPublicKeys } = loadConfig(EventKeysConfig, env);
  return new EventKeys(service, eventKey, eventPublicKeys);
}

/** Settings of every service. */
export class BusServiceConfig extends BlobsConfig {
  @setting.secret(
    'CALLER_KEY',
    'Key that signs callers for this service, base64; while it is changed two, `key,key`: the first signs.',
  )
  callerKey!: string;
}

/** Settings of every service with a database. */
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

  @setting.integer(
    'QUOTA_STORED_BYTES',
    'Bytes that a workspace may store in a service: of mail, of files of drafts, of approvals, and those that writes leave for a while.',
    { default: 100 * 1024 ** 3, min: 1, max: Number.MAX_SAFE_INTEGER },
  )
  quotaStoredBytes!: number;

  @setting.integer(
    'QUOTA_RECORDED_BYTES',
    'Bytes of answers, events and approvals that the writes of one key or member may leave in a service on a day; it may exceed them by those of a minute.',
    { default: 2 * 1024 ** 3, min: 1, max: Number.MAX_SAFE_INTEGER },
  )
  quotaRecordedBytes!: number;

  @setting.keyring('SECRETS_KEYS', 'Keyring of the secrets at rest.')
  secretsKeys!: string;
}
