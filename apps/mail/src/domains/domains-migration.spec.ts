import { expect, it } from '@jest/globals';
import { provision } from '@postroom/persistence/provision';
import { createTestDatabase } from '@postroom/testing';
import { Client } from 'pg';
import { mailSchema } from '../migrations/index.js';

it('gives each domain of the mailboxes that are there to the workspace of the oldest', async () => {
  const at = mailSchema.migrations.findIndex(({ name }) => name === 'Domains1795650000000');
  expect(at).toBeGreaterThan(0);
  const before = { ...mailSchema, migrations: mailSchema.migrations.slice(0, at), sql: [] };
  const database = await createTestDatabase([before]);
  const client = new Client({ connectionString: database.adminUrl });
  await client.connect();
  try {
    await client.query(
      `INSERT INTO mail.mailboxes (tenant_id, id, address, routing_address, name, automation, access,
         created_at, updated_at, version)
       SELECT t, 'mbx_' || a, a, a, a, true, '"workspace"', at::timestamptz, now(), 1
       FROM (VALUES ('ten_b', 'sales@acme.test', '2026-01-02'), ('ten_a', 'a@acme.test', '2026-01-03'),
         ('ten_a', 'support@acme.test', '2026-01-01'), ('ten_b', 'x@xn--bcher-kva.test', '2026-01-01'))
         AS given (t, a, at)`,
    );
    const { password } = new URL(database.urls.mail);
    await provision(database.adminUrl, [mailSchema], { passwords: { mail: password } });
    const { rows } = await client.query(
      `SELECT tenant_id, name, id ~ '^dom_[0-7][0-9A-HJKMNP-TV-Z]{25}$' AS "isId",
         verified_at IS NOT NULL AS verified FROM mail.domains ORDER BY name`,
    );
    const given = { isId: true, verified: true };
    expect(rows).toEqual([
      { tenant_id: 'ten_a', name: 'acme.test', ...given },
      { tenant_id: 'ten_b', name: 'xn--bcher-kva.test', ...given },
    ]);
  } finally {
    await client.end();
    await database.drop();
  }
});
