import type { QueryRunner } from 'typeorm';

/**
 * The tables every service that owns operations has in its schema, first version: recorded replies
 * (redeliveries and Idempotency-Keys), the outbox, and audit records. A later change is a function
 * of its own, called by a later migration: what a migration runs never changes.
 */
export async function createOperationTables(runner: QueryRunner, schema: string): Promise<void> {
  await runner.query(replies + outbox + auditRecords + replyFunctions(schema));
}

/**
 * How a write claims its key, second version of the replies: by a lock, so that its reply is written once,
 * when it is known. What claims a key by a row (`claim_reply`) stays for instances of the release before.
 */
export async function addKeyClaims(runner: QueryRunner): Promise<void> {
  await runner.query(`
    -- Sets the tenant and waits for who has the key, two seconds at most (55P03), in one trip. Answers
    -- what was recorded under it; null: the key is this transaction's. What is past its time goes, as
    -- it would be in the way.
    CREATE FUNCTION claim_key(p_tenant text, p_key text) RETURNS json LANGUAGE plpgsql AS $$
    DECLARE
      v_reply replies;
    BEGIN
      PERFORM set_config('postroom.tenant', p_tenant, true), set_config('lock_timeout', '2s', true);
      PERFORM pg_advisory_xact_lock(hashtextextended('reply ' || p_tenant || ' ' || p_key, 0));
      LOOP
        -- A statement of its own: it sees what whoever had the key has committed.
        SELECT * INTO v_reply FROM replies r WHERE r.tenant_id = p_tenant AND r.dedupe_key = p_key;
        IF NOT FOUND THEN RETURN NULL; END IF;
        IF v_reply.expires_at >= now() THEN RETURN to_json(v_reply); END IF;
        -- The time is judged again: an instance of the release before may have taken it anew meanwhile.
        DELETE FROM replies r
          WHERE r.tenant_id = p_tenant AND r.dedupe_key = p_key AND r.expires_at < now();
      END LOOP;
    END $$;
  `);
}

/**
 * Makes a function run as the schema's look-up role, which sees the rows of every tenant in the
 * tables that `visible` grants it: for the few questions asked before a tenant is known.
 */
export const lookupFunction = (schema: string, signature: string): string => `
  ALTER FUNCTION ${signature} SECURITY DEFINER SET search_path = ${schema}, public;
  ALTER FUNCTION ${signature} OWNER TO postroom_${schema}_lookup;
`;

/** Of a function on a queue: its plans are made while that is empty, and kept while it fills. */
export const byIndex = (signature: string): string => `
  ALTER FUNCTION ${signature} SET enable_seqscan = off;
  ALTER FUNCTION ${signature} SET enable_bitmapscan = off;
`;

/** Shows a table's rows of every tenant to the schema's look-up role. */
export const visible = (schema: string, table: string, privileges = 'SELECT'): string => `
  GRANT ${privileges} ON ${table} TO postroom_${schema}_lookup;
  CREATE POLICY lookup ON ${table} TO postroom_${schema}_lookup USING (true);
`;

/** The policy of a table with a `tenant_id`: rows of the transaction's tenant only, for its owner too. */
export const tenantPolicy = (table: string): string => `
  ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
  ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON ${table}
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));
`;

const replies = `
  -- One row a write: its reply, under the message's id or the caller's Idempotency-Key.
  CREATE TABLE replies (
    tenant_id text COLLATE "C" NOT NULL,
    dedupe_key text COLLATE "C" NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    fingerprint text COLLATE "C" NOT NULL,
    status smallint,
    body text,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, dedupe_key)
  );
  CREATE INDEX replies_expiry ON replies (expires_at);
  ${tenantPolicy('replies')}
`;

const outbox = `
  CREATE TABLE outbox (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL,
    event_id text COLLATE "C" NOT NULL UNIQUE,
    type text NOT NULL,
    resource text COLLATE "C" NOT NULL,
    sequence bigint NOT NULL,
    envelope text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (tenant_id, resource, sequence)
  );
  ${tenantPolicy('outbox')}
`;

const auditRecords = `
  CREATE TABLE audit_records (
    id text COLLATE "C" PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL,
    actor_type text NOT NULL,
    actor_id text COLLATE "C",
    action text NOT NULL,
    subject_id text COLLATE "C",
    request_id text
  );
  CREATE INDEX audit_records_time ON audit_records (tenant_id, at, id);
  ${tenantPolicy('audit_records')}
`;

const replyFunctions = (schema: string): string => `
  -- Sets the tenant and takes the dedupe key, in one trip. A concurrent holder of the key is waited
  -- for, two seconds at most (55P03). No row back: the key is taken and the write may begin.
  CREATE FUNCTION claim_reply(p_tenant text, p_key text, p_message text, p_fingerprint text)
  RETURNS TABLE (message_id text, fingerprint text, status smallint, body text)
  LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true), set_config('lock_timeout', '2s', true);
    INSERT INTO replies AS r (tenant_id, dedupe_key, message_id, fingerprint, expires_at)
      VALUES (p_tenant, p_key, p_message, p_fingerprint, now() + interval '24 hours')
      ON CONFLICT (tenant_id, dedupe_key) DO UPDATE
        SET message_id = excluded.message_id, fingerprint = excluded.fingerprint,
            status = NULL, body = NULL, expires_at = excluded.expires_at
        WHERE r.expires_at < now();
    IF NOT FOUND THEN
      RETURN QUERY SELECT r.message_id, r.fingerprint, r.status, r.body FROM replies r
        WHERE r.tenant_id = p_tenant AND r.dedupe_key = p_key;
    END IF;
  END $$;

  -- Forgets what is past its 24 hours, of every tenant, a batch at a time. The time is judged again
  -- where it deletes: a row it had to wait for has been taken anew meanwhile.
  CREATE FUNCTION forget_replies() RETURNS bigint LANGUAGE sql AS $$
    WITH old AS (
      SELECT tenant_id, dedupe_key FROM replies WHERE expires_at < now() LIMIT 1000
    ), gone AS (
      DELETE FROM replies r USING old
      WHERE r.tenant_id = old.tenant_id AND r.dedupe_key = old.dedupe_key
        AND r.expires_at < now() RETURNING 1
    ) SELECT count(*) FROM gone $$;
  ${visible(schema, 'replies', 'SELECT, DELETE')}
  ${lookupFunction(schema, 'forget_replies()')}
`;
