import { serviceNames, variablePrefix } from '@postroom/contracts';
import {
  ConfigError,
  faultsOf,
  KafkaSecurityConfig,
  loadConfig,
  type ConfigFault,
} from '@postroom/service';
import { blockedPorts } from './blocked-ports.js';
import { ClusterConfig, PostroomConfig } from './config.js';
import { installed } from './services.js';

/** Settings that this process decides for its services, or checks itself: none of them can be at fault. */
const decidedHere = {
  DATABASE_URL: 'postgres://decided',
  BLOBS_DATABASE_URL: 'postgres://decided',
  PORT: '1',
  SMTP_PORT: '1',
  LMTP_PORT: '1',
  OUTGOING_SMTP_URL: 'smtp://decided',
  PUBLIC_URL: 'http://decided',
  SECRETS_KEYS: `decided:${Buffer.alloc(32).toString('base64')}`,
  AUDIT_KEY: 'decided'.repeat(8),
  CALLER_KEY: 'decided'.repeat(8),
  ...Object.fromEntries(
    serviceNames.map((name) => [`${variablePrefix(name)}_CALLER_KEY`, 'decided'.repeat(8)]),
  ),
};

/**
 * Reads the settings of this process, and checks those of its services before anything is started.
 * @throws ConfigError with every fault at once
 */
export function loadPostroomConfig(env: NodeJS.ProcessEnv): PostroomConfig {
  return load(PostroomConfig, env);
}

/** The same of a cluster. */
export function loadClusterConfig(env: NodeJS.ProcessEnv): ClusterConfig {
  return load(ClusterConfig, env);
}

/** The console and the demo's seeding reach the API by `PORT`. */
function portFaults({ PORT = '' }: NodeJS.ProcessEnv): readonly ConfigFault[] {
  if (!blockedPorts.has(Number(PORT))) return [];
  const found = `is ${PORT.trim()}, which browsers and fetch refuse to connect to`;
  return [{ variable: 'PORT', found, allowed: 'another port, such as 3000' }];
}

function load<C extends object>(config: new () => C, env: NodeJS.ProcessEnv): Readonly<C> {
  const ofServices = { ...env, ...decidedHere };
  const faults = [
    ...faultsOf(config, env),
    ...faultsOf(KafkaSecurityConfig, env),
    ...portFaults(env),
    ...Object.values(installed).flatMap(({ configFaults }) => configFaults(ofServices)),
  ];
  if (faults.length > 0) throw new ConfigError(faults);
  return loadConfig(config, env);
}
