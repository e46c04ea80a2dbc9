import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { serviceNames } from '@postroom/contracts';
import { ProcessConfig, settingsTable } from '@postroom/service';
import { ClusterConfig, PrepareConfig } from './config.js';
import { installed } from './services.js';

const document = `# Configuration

Every setting is an environment variable. All that is wrong is said at once at the start; white space
around a value is dropped, an empty one is unset. This page is a reading of the configuration classes
(\`UPDATE_GOLDENS=1 npm test -- apps/workspace\` writes it).

## npm start, npm run start:cluster

What is set here is handed on to the services, and so is whatever of theirs is set beside it, such as
their limits or \`WORKSPACE_DOMAINS\`; all of it listens on 127.0.0.1. The two of \`KAFKA_\` are for the
cluster.

${settingsTable(ClusterConfig)}
${serviceNames
  .map(
    (name) => `## The service \`${name}\`, as a process of its own

${settingsTable(installed[name].config, ProcessConfig)}
`,
  )
  .join('')}## The job that prepares a deployment

${settingsTable(PrepareConfig)}`;

it('is documented in full', () => {
  const file = new URL('../../../docs/configuration.md', import.meta.url);
  if (process.env['UPDATE_GOLDENS'] === '1') writeFileSync(file, document);
  expect(readFileSync(file, 'utf8')).toBe(document);
});
