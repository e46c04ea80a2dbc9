import { EventKeys } from '@postroom/access';
import type { ServiceName } from '@postroom/contracts';
import { loadConfig, setting } from '@postroom/service';

/** What the process of a service with a database is told beside: it publishes events, and consumes others'. */
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
