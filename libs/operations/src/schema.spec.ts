import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ledger } from './testing/ledger.js';

describe('the tables of a service that owns operations', () => {
  let ledger: Ledger;
  beforeAll(async () => {
    ledger = await Ledger.open();
  });
  afterAll(() => ledger.close());

  it('show the rows of every tenant to functions of the look-up role alone, which nobody can be', async () => {
    const [owner] = await ledger.sql<{ role: string; login: boolean; members: number }>(
      `SELECT rolname AS role, rolcanlogin AS login, prosecdef AS definer,
              (SELECT count(*)::int FROM pg_auth_members m
               JOIN pg_roles r ON r.oid = m.member AND NOT r.rolsuper
               WHERE m.roleid = o.oid AND r.rolname = 'postroom_ledger') AS members
       FROM pg_proc p JOIN pg_roles o ON o.oid = p.proowner WHERE p.proname = 'purge_replies'`,
    );
    expect(owner).toEqual({
      role: 'postroom_ledger_lookup',
      login: false,
      definer: true,
      members: 0,
    });
    const privileges = await ledger.sql(
      `SELECT table_name AS table, array_agg(privilege_type ORDER BY privilege_type)::text AS may
       FROM information_schema.role_table_grants
       WHERE table_schema = 'ledger' AND grantee = 'postroom_ledger_lookup'
         AND table_name !~ '_[0-9]+$' GROUP BY 1 ORDER BY 1`,
    );
    expect(privileges).toEqual([
      { table: 'audit_records', may: '{DELETE,SELECT}' },
      { table: 'inbox', may: '{DELETE,SELECT}' },
      { table: 'outbox', may: '{DELETE,INSERT,SELECT,UPDATE}' },
      { table: 'outbox_shards', may: '{SELECT,UPDATE}' },
      { table: 'published_events', may: '{DELETE,INSERT,SELECT}' },
      { table: 'quota_counters', may: '{DELETE,INSERT,SELECT,UPDATE}' },
      { table: 'recorded_bytes', may: '{DELETE,INSERT,SELECT}' },
      { table: 'replies', may: '{DELETE,SELECT}' },
      { table: 'volume_deltas', may: '{DELETE,SELECT}' },
      { table: 'volumes', may: '{INSERT,SELECT,UPDATE}' },
    ]);
  });
});
