import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { busUser, serviceNames, services } from '@postroom/contracts';
import { type BusApp, busApps, type BusRight, busRights, declaredTopics } from '@postroom/bus';
import { listKafkaRights } from './kafka-rights.js';

const row = ({ resource, name, isPrefix, actions }: BusRight): string =>
  `| ${resource} | \`${name}${isPrefix ? '*' : ''}\` | ${actions.join(', ')} |`;

const document = `# Rights on Kafka

The least that each app has to be allowed, made from the registry of services (\`UPDATE_GOLDENS=1 npm test --
apps/postroom/src/commands/kafka\` writes this page). \`npm run postroom -- kafka acls list\` prints the same as arguments of
\`kafka-acls.sh\`, \`kafka acls apply\` gives them, and \`kafka acls check\` compares. A name that ends in \`*\` is a
prefix. \`postroom\` at the beginning is \`KAFKA_PREFIX\`.

${busApps
  .map(
    (app) => `## User \`${busUser(app)}\`

| Resource | Name | Actions |
|---|---|---|
${busRights(app).map(row).join('\n')}
`,
  )
  .join('\n')}`;

const covers = ({ name, isPrefix }: BusRight, wanted: string): boolean =>
  isPrefix ? wanted.startsWith(name) : wanted === name;

/** The apps that may do that to a topic. */
const appsThatMay = (action: string, topic: string): BusApp[] =>
  busApps.filter((app) =>
    busRights(app).some(
      (right) =>
        right.resource === 'topic' &&
        right.actions.some((one) => one === action) &&
        covers(right, topic),
    ),
  );

const operator = 'postroom';
const without = (apps: readonly BusApp[]): BusApp[] => apps.filter((app) => app !== operator);

describe('the rights on Kafka', () => {
  it('are documented', () => {
    const file = new URL('../../../../docs/kafka-rights.md', import.meta.url);
    if (process.env['UPDATE_GOLDENS'] === '1') writeFileSync(file, document);
    expect(readFileSync(file, 'utf8')).toBe(document);
  });

  it('let each topic of the product be read and written, dead letters by the operator alone', () => {
    for (const { name, kind } of declaredTopics()) {
      // Nothing is written to events that no service emits yet.
      const isWritten = !name.endsWith('.helpdesk');
      expect({ name, written: appsThatMay('write', name).length > 1 }).toEqual({
        name,
        written: isWritten,
      });
      const readers = without(appsThatMay('read', name));
      expect({ name, read: readers.length > 0 }).toEqual({ name, read: kind !== 'dead-letters' });
    }
  });

  it('keep the requests and the replies of a service from the others', () => {
    for (const service of serviceNames) {
      const { app } = services[service];
      expect(without(appsThatMay('read', `postroom.${service}.requests`))).toEqual([app]);
      const readers = without(appsThatMay('read', `postroom.replies.${app}-1`));
      // Mail asks the gateway whether a member may still send, and webhooks what a key may see.
      const asking = ['gateway', 'mail', 'mcp', 'webhook-dispatcher'];
      expect(readers).toEqual(asking.includes(app) ? [app] : []);
    }
  });

  it('let a service write its own events alone', () => {
    expect(without(appsThatMay('write', 'postroom.events.contacts'))).toEqual(['directory']);
    expect(without(appsThatMay('write', 'postroom.notices.reminders'))).toEqual(['scheduling']);
  });

  it('are printed as arguments of kafka-acls.sh', async () => {
    const lines = await listKafkaRights.run({
      rest: [],
      options: {},
      env: { KAFKA_PREFIX: 'here' },
    });
    expect(lines).toContain(
      '--add --allow-principal User:here-mail --operation read --topic here.mail.requests ' +
        '--resource-pattern-type literal',
    );
    await expect(
      listKafkaRights.run({ rest: ['mail'], options: {}, env: {} }),
    ).rejects.toMatchObject({ name: 'UsageError' });
  });
});
