import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@postroom/contracts';
import { accessSchema } from '@postroom/gateway';
import { mailSchema } from '@postroom/mail';
import { createTestDatabase, type TestDatabase } from '@postroom/testing';
import { Client } from 'pg';
import type { Command } from './run-command.js';
import { listParkedEvents, releaseParkedEvents, replayOutbox } from './outbox.js';

let database: TestDatabase<'access' | 'mail'>;
let admin: Client;

beforeAll(async () => {
  database = await createTestDatabase([accessSchema, mailSchema]);
  admin = new Client({ connectionString: database.adminUrl });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await database.drop();
});

const runCommand = (
  command: Command,
  rest: string[],
  options: Record<string, string> = {},
): Promise<readonly string[]> => {
  const { access, mail } = database.urls;
  const env = { ACCESS_DATABASE_URL: access, MAIL_DATABASE_URL: mail };
  return command.run({ rest, options, env });
};

describe('postroom parked-events', () => {
  const list = (service: string) => runCommand(listParkedEvents, [service]);
  const release = (service: string) => runCommand(releaseParkedEvents, [service]);

  it('shows what the bus has refused of a service and why, and has it leave once more', async () => {
    const [id, tenantId] = [newId('evn'), newId('ten')];
    await admin.query(
      `INSERT INTO mail.outbox (tenant_id, event_id, type, resource, sequence, envelope, refusal)
       VALUES ($1, $2, 'conversation.commented', 'cnv_1', 7, '{"secret": 1}', 'too large')`,
      [tenantId, id],
    );
    const lines = await list('mail');
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      {
        ...{ id, tenantId, type: 'conversation.commented', resource: 'cnv_1', sequence: 7 },
        createdAt: expect.any(String),
        refusal: 'too large',
      },
    ]);
    expect(await list('access')).toEqual([]);
    expect(await release('access')).toEqual(['0 released.']);
    expect(await release('mail')).toEqual(['1 released.']);
    expect(await list('mail')).toEqual([]);
    const { rows } = await admin.query('SELECT event_id, refusal FROM mail.outbox');
    expect(rows).toEqual([{ event_id: id, refusal: null }]);
  });

  it.each([[[]], [['nobody']], [['blobs']], [['mail', 'access']]])(
    'answers %j with its usage',
    async (rest) => {
      for (const command of [listParkedEvents, releaseParkedEvents]) {
        await expect(runCommand(command, rest)).rejects.toMatchObject({ name: 'UsageError' });
      }
    },
  );

  it('says so when the database does not answer', async () => {
    const env = { MAIL_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
    const asked = listParkedEvents.run({ rest: ['mail'], options: {}, env });
    await expect(asked).rejects.toMatchObject({ name: 'SetupError' });
  });
});

describe('postroom outbox replay', () => {
  const replay = (since: string, ...rest: string[]) => runCommand(replayOutbox, rest, { since });
  const ago = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();

  it('takes back what the named service has published since then, and nothing older', async () => {
    const ids = [newId('evn'), newId('evn')];
    for (const [i, id] of ids.entries())
      await admin.query(
        `INSERT INTO mail.published_events
           (slot, tenant_id, event_id, type, resource, sequence, envelope, created_at, published_at)
         VALUES (0, 'ten_1', $1, 'conversation.commented', 'cnv_1', $2, '{}', now(), $3)`,
        [id, i, ago(i === 0 ? 3 : 1)],
      );
    expect(await replay(ago(2), 'access')).toEqual(['access: 0 events leave once more.']);
    expect(await replay(ago(2), 'mail')).toEqual(['mail: 1 events leave once more.']);
    expect(await replay(ago(2), 'mail')).toEqual(['mail: 0 events leave once more.']);
    const { rows } = await admin.query(
      'SELECT event_id FROM mail.outbox WHERE event_id = ANY ($1)',
      [ids],
    );
    expect(rows).toEqual([{ event_id: ids[1] }]);
  });

  it.each([
    ['without a time', ''],
    ['since no time', 'yesterday'],
    ['since what consumers have forgotten', ago(6 * 24 + 1)],
    ['of no service', ago(1), 'nobody'],
    ['of two services', ago(1), 'mail', 'access'],
  ])('answers one %s with its usage', async (_which, since, ...rest) => {
    await expect(replay(since, ...rest)).rejects.toMatchObject({ name: 'UsageError' });
  });
});
