import { lookupFunction, tenantPolicy, visible } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Data-loss prevention: the rules of a workspace, and the warnings that may still be confirmed. */
export class Dlp1764320000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(rules);
    await runner.query(warnings);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}

const rules = `
  CREATE TABLE dlp_rules (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    name text NOT NULL,
    detector text NOT NULL,
    pattern text,
    action text NOT NULL,
    -- Addresses, which never change; none: every mailbox.
    mailboxes text[] NOT NULL,
    enabled boolean NOT NULL,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    version integer NOT NULL DEFAULT 1,
    PRIMARY KEY (tenant_id, id)
  );
  ${tenantPolicy('dlp_rules')}

  -- First made first, whether it is asked in a transaction or not.
  CREATE FUNCTION dlp_rules_of(p_tenant text) RETURNS SETOF dlp_rules LANGUAGE plpgsql STABLE AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    RETURN QUERY SELECT r.* FROM dlp_rules r WHERE r.tenant_id = p_tenant ORDER BY r.id;
  END $$;
`;

const warnings = `
  CREATE TABLE dlp_warnings (
    tenant_id text COLLATE "C" NOT NULL,
    -- SHA-256 of the token; what was given out is kept nowhere.
    token_hash text COLLATE "C" NOT NULL,
    -- Who was warned: an API key, or a member.
    asker_id text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    fingerprint text COLLATE "C" NOT NULL,
    -- What was warned of: rules, each in its version.
    rules text[] NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, token_hash)
  );
  CREATE INDEX dlp_warnings_expiry ON dlp_warnings (expires_at);
  ${tenantPolicy('dlp_warnings')}

  CREATE FUNCTION forget_dlp_warnings() RETURNS bigint LANGUAGE sql AS $$
    WITH gone AS (
      DELETE FROM dlp_warnings w WHERE w.ctid = ANY (ARRAY(
        SELECT o.ctid FROM dlp_warnings o WHERE o.expires_at < now() LIMIT 1000)) RETURNING 1
    ) SELECT count(*) FROM gone $$;
  ${visible('mail', 'dlp_warnings', 'SELECT, DELETE')}
  ${lookupFunction('mail', 'forget_dlp_warnings()')}
`;
