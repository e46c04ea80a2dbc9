import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import {
  schemaNames,
  serviceNames,
  services,
  storingServiceNames,
  variablePrefix,
  type ServiceName,
} from '@postroom/contracts';
import { requestTopic } from '@postroom/bus';
import { publishedPaths } from '@postroom/gateway';
import { EventKeysConfig } from '@postroom/operations';
import { serviceRole } from '@postroom/persistence/provision';
import { KafkaSecurityConfig, ProcessConfig, settingsOf, type Setting } from '@postroom/service';
import { stringify } from 'yaml';
import { commands } from './commands/index.js';
import { installed } from './services.js';

const chart = new URL('../../../k8s/', import.meta.url);
const registryFile = new URL('files/services.yaml', chart);
const schemaFile = new URL('values.schema.json', chart);
const isUpdate = process.env['UPDATE_GOLDENS'] === '1';

/** Settings that the chart decides, for the same reason in every installation. */
const decidedByChart = new Set([
  ...['HOST', 'SMTP_HOST', 'HEALTH_HOST', 'HEALTH_PORT', 'INSTANCE'],
  ...['KAFKA_BROKERS', 'KAFKA_PREFIX', 'PUBLIC_URL'],
  ...settingsOf(KafkaSecurityConfig).map(({ variable }) => variable),
  // For the demo's own mail server.
  'OUTGOING_OUTBOX_DIR',
]);

/** Services that connect to what their customers name; the gateway to the providers of their sign-in. */
const dialOut: ReadonlySet<ServiceName> = new Set<ServiceName>(['access', 'mail', 'webhooks']);

const portOf: Readonly<Record<string, number>> = { PORT: 3000, SMTP_PORT: 2525, LMTP_PORT: 2424 };

const isPort = ({ variable }: Setting): boolean => Object.hasOwn(portOf, variable);
/** The public keys of events are with the private ones: who may add one says who may publish. */
const isSecret = ({ variable, kind, required }: Setting): boolean =>
  required && (['secret', 'secrets', 'keyring'].includes(kind) || variable === 'EVENT_PUBLIC_KEYS');
/** A secret, or an address with a password in it. */
const isOptionalSecret = ({ kind, required }: Setting): boolean =>
  !required && ['url', 'secret'].includes(kind);
const isDatabase = ({ variable }: Setting): boolean => variable.endsWith('DATABASE_URL');

const settingsOfService = (name: ServiceName): Setting[] =>
  [installed[name].config, ...(services[name].database ? [EventKeysConfig] : []), ProcessConfig]
    .flatMap((config) => settingsOf(config))
    .filter(({ variable }) => !decidedByChart.has(variable));

const isSetByValues = (setting: Setting): boolean =>
  ![isPort, isSecret, isOptionalSecret, isDatabase].some((isOther) => isOther(setting));

const databaseOf = (name: ServiceName, variable: string) => {
  const schema = variable === 'DATABASE_URL' ? name : 'blobs';
  return { role: serviceRole(schema), password: `${variablePrefix(schema)}_DATABASE_PASSWORD` };
};

/** The keys of the secret are those of docker/compose.yaml: a service's own key has its name in front. */
const keyOf = (name: ServiceName, variable: string): string =>
  ['CALLER_KEY', 'EVENT_KEY'].includes(variable) ? `${variablePrefix(name)}_${variable}` : variable;

const record = <T>(settings: readonly Setting[], valueOf: (variable: string) => T) =>
  Object.fromEntries(settings.map(({ variable }) => [variable, valueOf(variable)]));

function needsOf(name: ServiceName) {
  const settings = settingsOfService(name);
  return {
    group: requestTopic(name, '').slice(1),
    dialsOut: dialOut.has(name),
    ports: record(settings.filter(isPort), (variable) => portOf[variable]),
    databases: record(settings.filter(isDatabase), (variable) => databaseOf(name, variable)),
    secrets: record(settings.filter(isSecret), (variable) => keyOf(name, variable)),
    kafkaPassword: `${variablePrefix(name)}_KAFKA_PASSWORD`,
    optionalSecrets: settings.filter(isOptionalSecret).map(({ variable }) => variable),
  };
}

/** The keys of the secrets that a command needs beside the databases of the services, by its first words. */
const needsOfCommands = Object.fromEntries(
  commands
    .filter(({ needs = [] }) => needs.length > 0)
    .map(({ words, needs }) => [words.join(' '), needs]),
);

const registry = `# Written from the registry of services and their settings: UPDATE_GOLDENS=1 npm test -- apps/postroom/src/chart
${stringify({
  apps: Object.fromEntries(serviceNames.map((name) => [services[name].app, needsOf(name)])),
  paths: publishedPaths,
  migration: {
    passwords: schemaNames.map((name) => `${variablePrefix(name)}_DATABASE_PASSWORD`),
  },
  commands: {
    databases: Object.fromEntries(
      storingServiceNames.map((name) => [
        `${variablePrefix(name)}_DATABASE_URL`,
        databaseOf(name, 'DATABASE_URL'),
      ]),
    ),
    needs: needsOfCommands,
  },
})}`;

/** The part of the schema that follows from the registry: which services there are, and their settings. */
function servicesSchema() {
  const schemaOf = (name: ServiceName) => ({
    type: 'object',
    required: ['replicas', 'settings', 'resources'],
    additionalProperties: false,
    properties: {
      replicas: { $ref: '#/$defs/replicas' },
      resources: { $ref: '#/$defs/resources' },
      settings: {
        type: 'object',
        additionalProperties: false,
        properties: record(settingsOfService(name).filter(isSetByValues), () => ({
          $ref: '#/$defs/setting',
        })),
      },
      ...(name === 'access' && { cpuPercent: { type: 'integer', minimum: 1, maximum: 100 } }),
      ...(dialOut.has(name) && {
        ports: { type: 'array', items: { $ref: '#/$defs/port' } },
        egress: { type: 'array', items: { type: 'object' } },
      }),
    },
  });
  return {
    type: 'object',
    required: serviceNames.map((name) => services[name].app),
    additionalProperties: false,
    properties: Object.fromEntries(
      serviceNames.map((name) => [services[name].app, schemaOf(name)]),
    ),
  };
}

describe('the chart', () => {
  it('knows every service and what each needs', () => {
    if (isUpdate) writeFileSync(registryFile, registry);
    expect(readFileSync(registryFile, 'utf8')).toBe(registry);
  });

  it('admits the settings of each service, and no others', () => {
    const schema = JSON.parse(readFileSync(schemaFile, 'utf8')) as {
      properties: { services: unknown };
    };
    if (isUpdate) {
      schema.properties.services = servicesSchema();
      writeFileSync(schemaFile, `${JSON.stringify(schema, null, 2)}\n`);
    }
    expect(schema.properties.services).toEqual(servicesSchema());
  });
});
