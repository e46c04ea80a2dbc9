import { createPublicKey, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, type SchemaName } from '@postroom/contracts';
import { createTestDatabase, type TestDatabase } from '@postroom/testing';
import { Client } from 'pg';
import { schemas } from '../database.js';
import { newDkimKey } from './new-dkim-key.js';

describe('postroom dkim new', () => {
  let database: TestDatabase<SchemaName>;
  let admin: Client;
  beforeAll(async () => {
    database = await createTestDatabase(schemas);
    admin = new Client({ connectionString: database.adminUrl });
    await admin.connect();
    await admin.query(
      `INSERT INTO mail.mailboxes (tenant_id, id, address, routing_address, name, automation, access,
         created_at, updated_at, version)
       VALUES ($1, $2, 'support@acme.test', 'support@acme.test', '', true, '"workspace"', now(), now(), 1)`,
      [newId('ten'), newId('mbx')],
    );
  });
  afterAll(async () => {
    await admin.end();
    await database.drop();
  });

  const run = (options: Record<string, string>, keys: object = {}) =>
    newDkimKey.run({
      rest: [],
      options,
      env: {
        POSTROOM_DATA_DIR: '/nowhere',
        MAIL_DATABASE_URL: database.urls.mail,
        SECRETS_KEYS: `k1:${randomBytes(32).toString('base64')}`,
        ...keys,
      },
    });

  it('gives the mailbox a key, sealed, and prints the record of its other half', async () => {
    const [record = ''] = await run({ mailbox: 'support@acme.test', selector: 'one' });
    expect(record).toMatch(/^one\._domainkey\.acme\.test\. IN TXT "v=DKIM1; k=rsa; p=/);
    const strings = [...record.matchAll(/"([^"]*)"/g)].map(([, text = '']) => text);
    expect(strings.every((text) => text.length <= 255)).toBe(true);
    const key = Buffer.from(strings.join('').split('p=')[1] ?? '', 'base64');
    const { asymmetricKeyDetails } = createPublicKey({ key, format: 'der', type: 'spki' });
    expect(asymmetricKeyDetails?.modulusLength).toBe(2048);
    const { rows } = await admin.query<{ dkim: Record<string, string> }>(
      'SELECT dkim FROM mail.mailboxes',
    );
    expect(rows).toEqual([
      { dkim: { selector: 'one', sealedPrivateKey: expect.stringMatching(/^k1\./) } },
    ]);
    const audited = await admin.query('SELECT action FROM mail.audit_records');
    expect(audited.rows).toEqual([{ action: 'mailboxes.update' }]);
  });

  it('refuses a mailbox that there is not, a wrong selector, and an installation without keys', async () => {
    await expect(run({})).rejects.toThrow('--mailbox is missing');
    await expect(run({ mailbox: 'nobody@acme.test' })).rejects.toThrow('There is no mailbox');
    await expect(run({ mailbox: 'support@acme.test', selector: 'a b' })).rejects.toThrow();
    const none = { SECRETS_KEYS: undefined };
    await expect(run({ mailbox: 'support@acme.test' }, none)).rejects.toThrow('SECRETS_KEYS');
  });
});
