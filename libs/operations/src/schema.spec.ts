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
      { table: 'clocks', may: '{SELECT}' },
      { table: 'held_locks', may: '{DELETE,INSERT,SELECT,UPDATE}' },
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

describe('a lock by name', () => {
  let ledger: Ledger;
  beforeAll(async () => {
    ledger = await Ledger.open();
  });
  afterAll(() => ledger.close());

  it.each(['take_lock', 'try_turn'])('is had by one transaction at a time: %s', async (lock) => {
    const other = await ledger.another();
    // The row of a turn stays from its first time on.
    await other.query(`SELECT ${lock}('mine')`);
    await other.query('BEGIN');
    await other.query(`SELECT ${lock}('mine')`);
    await other.query(`SELECT ${lock}('mine')`);
    await ledger.sql(`SET lock_timeout = '50ms'`);
    const taken = ledger.sql(`SELECT ${lock}('mine') AS had`);
    await (lock === 'take_lock'
      ? expect(taken).rejects.toMatchObject({ code: '55P03' })
      : expect(taken).resolves.toEqual([{ had: false }]));
    expect(await ledger.sql(`SELECT ${lock}('another') IS NOT NULL AS had`)).toEqual([
      { had: true },
    ]);
    await other.query('COMMIT');
    expect(await ledger.sql(`SELECT ${lock}('mine')::text <> 'false' AS had`)).toEqual([
      { had: true },
    ]);
    await other.end();
  });

  it('leaves nothing behind, whatever its length', async () => {
    const left = 'SELECT count(*)::int AS rows FROM held_locks';
    const before = await ledger.sql(left);
    await ledger.sql('SELECT take_lock($1)', ['x'.repeat(100_000)]);
    expect(await ledger.sql(left)).toEqual(before);
  });

  it('is none that the role of another service can hold', async () => {
    const other = await ledger.another();
    await other.query('SET ROLE pg_monitor');
    for (const text of [
      `SELECT ledger.take_lock('mine')`,
      'SELECT FROM ledger.held_locks FOR UPDATE',
    ]) {
      await expect(other.query(text)).rejects.toMatchObject({ code: '42501' });
    }
    await other.end();
  });
});
