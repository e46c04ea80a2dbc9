import { publicEventKey } from '@postroom/access';
import {
  gatewayService,
  recordOf,
  serviceNames,
  storingServiceNames,
  variablePrefix,
  type ServiceName,
} from '@postroom/contracts';
import type { PreparedDatabase } from './database.js';
import { installed, type Facts, type InstalledService } from './services.js';

/** The environment of each service: the operator's settings, and what this installation decides. */
export const serviceEnvironments = (
  facts: Facts,
  env: NodeJS.ProcessEnv,
  { urls }: Pick<PreparedDatabase, 'urls'>,
): Record<ServiceName, NodeJS.ProcessEnv> =>
  recordOf(serviceNames, (name) => ({
    ...env,
    // Undefined of a service without one, which need not know the operator's.
    DATABASE_URL: databaseOf(name, urls),
    BLOBS_DATABASE_URL: urls.blobs,
    SECRETS_KEYS: facts.config.secretsKeys ?? facts.installation.secretsKeys,
    CALLER_KEY: facts.installation.callerKeys[name],
    ...(name === gatewayService && callerKeys(facts)),
    ...eventKeys(name, facts),
    ...portsOf(installed[name], facts),
    ...installed[name].environment(facts),
  }));

const databaseOf = (
  name: ServiceName,
  urls: Partial<Readonly<Record<ServiceName, string>>>,
): string | undefined => urls[name];

/** The gateway signs callers for every service. */
const callerKeys = ({ installation }: Facts): NodeJS.ProcessEnv =>
  Object.fromEntries(
    serviceNames.map((name) => [
      `${variablePrefix(name)}_CALLER_KEY`,
      installation.callerKeys[name],
    ]),
  );

/** Every service that publishes events has a private key; who reads them has the public ones of all. */
const eventKeys = (
  name: ServiceName,
  { installation: { eventKeys: keys } }: Facts,
): NodeJS.ProcessEnv => {
  const publicKeys = storingServiceNames.flatMap((one) =>
    keys[one].split(',').map((key) => `${one}:${publicEventKey(key)}`),
  );
  const own = storingServiceNames.find((one) => one === name);
  const [signing] = own ? keys[own].split(',') : [];
  return own ? { EVENT_KEY: signing, EVENT_PUBLIC_KEYS: publicKeys.join(',') } : {};
};

const portsOf = ({ ports }: InstalledService, { config }: Facts): NodeJS.ProcessEnv =>
  Object.fromEntries(ports.map(({ variable, of }) => [variable, String(of(config) ?? '')]));
