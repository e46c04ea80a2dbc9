import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@postroom/contracts';
import { accessSchema } from '@postroom/gateway';
import { mailSchema } from '@postroom/mail';
import { createTestDatabase, type TestDatabase } from '@postroom/testing';
import { Client } from 'pg';
import type { Command } from './command.js';
import { listParkedEvents, releaseParkedEvents } from './parked-events.js';

describe('postroom parked-events', () => {
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

  const run = (command: Command, ...rest: string[]): Promise<readonly string[]> => {
    const { access, mail } = database.urls;
    return command.run({
      rest,
      options: {},
      env: { ACCESS_DATABASE_URL: access, MAIL_DATABASE_URL: mail },
    });
  };

  it('shows what the bus has refused of a service and why, and has it leave once more', async () => {
    const [id, tenantId] = [newId('evn'), newId('ten')];
    await admin.query(
      `INSERT INTO mail.outbox (tenant_id, event_id, type, resource, sequence, envelope, refusal)
       VALUES ($1, $2, 'conversation.commented', 'cnv_1', 7, '{"secret": 1}', 'too large')`,
      [tenantId, id],
    );
    const lines = await run(listParkedEvents, 'mail');
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      {
        ...{ id, tenantId, type: 'conversation.commented', resource: 'cnv_1', sequence: 7 },
        createdAt: expect.any(String),
        refusal: 'too large',
      },
    ]);
    expect(await run(listParkedEvents, 'access')).toEqual([]);
    expect(await run(releaseParkedEvents, 'access')).toEqual(['0 released.']);
    expect(await run(releaseParkedEvents, 'mail')).toEqual(['1 released.']);
    expect(await run(listParkedEvents, 'mail')).toEqual([]);
    const { rows } = await admin.query('SELECT event_id, refusal FROM mail.outbox');
    expect(rows).toEqual([{ event_id: id, refusal: null }]);
  });

  it.each([[[]], [['nobody']], [['blobs']], [['mail', 'access']]])(
    'answers %j with its usage',
    async (rest) => {
      for (const command of [listParkedEvents, releaseParkedEvents]) {
        await expect(run(command, ...rest)).rejects.toMatchObject({ name: 'UsageError' });
      }
    },
  );

  it('says so when the database does not answer', async () => {
    const env = { MAIL_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
    const asked = listParkedEvents.run({ rest: ['mail'], options: {}, env });
    await expect(asked).rejects.toMatchObject({ name: 'StartError' });
  });
});
