import { lookupFunction, visible } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Leases under which a gateway answers from memory who a key is (`decisions.md` §3). */
export class AuthorizationLeases1764050000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(epoch + leases + functions + triggers);
  }

  down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}

/** Under forced row security with no policy but the look-up role's: functions alone reach the row. */
const forFunctionsAlone = (table: string, privileges: string): string => `
  ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
  ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;
  ${visible('access', table, privileges)}
`;

const epoch = `
  -- Counts the changes of what a key may do, of every workspace. One row.
  CREATE TABLE authorization_epoch (epoch bigint NOT NULL);
  INSERT INTO authorization_epoch VALUES (0);
  ${forFunctionsAlone('authorization_epoch', 'SELECT, UPDATE')}
`;

const leases = `
  -- Until when a gateway may answer from memory, and the epoch up to which it has forgotten.
  CREATE TABLE authorization_leases (
    instance text COLLATE "C" PRIMARY KEY,
    forgotten bigint NOT NULL,
    expires_at timestamptz NOT NULL
  );
  ${forFunctionsAlone('authorization_leases', 'SELECT, INSERT, UPDATE, DELETE')}
`;

const functions = `
  -- A lease for one second, for whoever has forgotten all that was known before the last change;
  -- returns that change's number. The shared lock waits for a change that is being committed, and
  -- has the next one wait for us: every lease that misses a change is there when the change looks.
  CREATE FUNCTION renew_lease(p_instance text, p_forgotten bigint) RETURNS bigint
  LANGUAGE plpgsql AS $$
  DECLARE
    v_epoch bigint;
    v_until timestamptz;
  BEGIN
    SELECT e.epoch INTO v_epoch FROM authorization_epoch e FOR SHARE;
    v_until := clock_timestamp() + interval '1 second';
    INSERT INTO authorization_leases AS l (instance, forgotten, expires_at)
      VALUES (p_instance, p_forgotten, CASE WHEN p_forgotten = v_epoch THEN v_until ELSE '-infinity' END)
      ON CONFLICT (instance) DO UPDATE SET forgotten = excluded.forgotten,
        expires_at = greatest(l.expires_at, excluded.expires_at);
    RETURN v_epoch;
  END $$;
  ${lookupFunction('access', 'renew_lease(text, bigint)')}

  -- Whether a live lease may still answer from before change p_epoch (null: the last one).
  CREATE FUNCTION unsettled_leases(p_epoch bigint) RETURNS TABLE (epoch bigint, unsettled boolean)
  LANGUAGE sql AS $$
    SELECT asked.epoch, EXISTS (
      SELECT FROM authorization_leases l
      WHERE l.forgotten < asked.epoch AND l.expires_at > clock_timestamp()
    )
    FROM (SELECT coalesce(p_epoch, e.epoch) AS epoch FROM authorization_epoch e) asked
  $$;
  ${lookupFunction('access', 'unsettled_leases(bigint)')}

  CREATE FUNCTION forget_leases() RETURNS void LANGUAGE sql AS $$
    DELETE FROM authorization_leases WHERE expires_at < now() - interval '1 minute'
  $$;
  ${lookupFunction('access', 'forget_leases()')}

  DROP FUNCTION find_key(text);
  -- lasts_ms: what is left of the key's life; null for a key without an end.
  CREATE FUNCTION find_key(p_id text)
  RETURNS TABLE (
    id text, tenant_id text, tenant_name text, send_open boolean, name text, kind text,
    approval text, scopes text[], grants jsonb, member_id text, member_email text, admin boolean,
    secret_hash text, alive boolean, lasts_ms float8
  )
  LANGUAGE sql STABLE AS $$
    SELECT k.id, k.tenant_id, t.name, t.send_open, k.name, k.kind, k.approval, k.scopes, k.grants,
           m.id, m.email, k.admin, k.secret_hash,
           k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now()),
           (extract(epoch FROM k.expires_at - now()) * 1000)::float8
    FROM keys k
    JOIN tenants t ON t.tenant_id = k.tenant_id
    LEFT JOIN members m ON m.id = k.member_id AND m.active
    WHERE k.id = p_id
  $$;
  ${lookupFunction('access', 'find_key(text)')}
`;

/** Columns that find_key reads; a key that is new was in nobody's memory. */
const watched: Readonly<Record<string, string>> = {
  keys: `UPDATE OF name, kind, approval, scopes, grants, member_id, admin, secret_hash, expires_at,
    revoked_at OR DELETE`,
  members: 'UPDATE OF email, active OR DELETE',
  tenants: 'UPDATE OF name, send_open OR DELETE',
};

/** Deferred, so that the epoch is locked no longer than the commit takes. */
const triggers = `
  CREATE FUNCTION note_authorization_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE authorization_epoch SET epoch = epoch + 1;
    PERFORM pg_notify('authorization_epoch', '');
    RETURN NULL;
  END $$;
  ${lookupFunction('access', 'note_authorization_change()')}
  ${Object.entries(watched)
    .map(
      ([table, changes]) => `
        CREATE CONSTRAINT TRIGGER authorization_change AFTER ${changes} ON ${table}
          DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION note_authorization_change();`,
    )
    .join('')}
`;
