import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { serviceNames, services, type ServiceName } from '@postroom/contracts';
import { EventKeysConfig } from '@postroom/operations';
import {
  KafkaSecurityConfig,
  ProcessConfig,
  settingsTable,
  TracingConfig,
} from '@postroom/service';
import { ClusterConfig, PrepareConfig } from './config.js';
import { installed } from './services.js';

const configsOf = (name: ServiceName) => [
  installed[name].config,
  ...(services[name].database ? [EventKeysConfig] : []),
  ProcessConfig,
  TracingConfig,
];

const document = `# Configuration

Every setting is an environment variable. All invalid settings are reported together at the start; white
space around a value is dropped, and an empty value counts as unset. This page is generated from the
configuration classes (\`UPDATE_GOLDENS=1 npm test -- apps/postroom\` writes it).

## npm start, npm run start:cluster

These settings are passed on to the services, and so are settings of the services themselves, such as
their limits or \`WORKSPACE_DOMAINS\`. Everything listens on 127.0.0.1. The \`KAFKA_\` settings are for
the cluster.

${settingsTable(ClusterConfig, KafkaSecurityConfig)}
${serviceNames
  .map(
    (name) => `## The service \`${name}\`, as a process of its own

${settingsTable(...configsOf(name))}
`,
  )
  .join('')}## The job that prepares a deployment

${settingsTable(PrepareConfig)}`;

it('is documented in full', () => {
  const file = new URL('../../../docs/configuration.md', import.meta.url);
  if (process.env['UPDATE_GOLDENS'] === '1') writeFileSync(file, document);
  expect(readFileSync(file, 'utf8')).toBe(document);
});
