-- Sets the tenant and waits for a concurrent holder of the key, two seconds at most (55P03), in one round
-- trip. Returns the reply recorded under the key; null: the key is this transaction's. An expired reply is
-- deleted, as it would be in the way.
CREATE OR REPLACE FUNCTION claim_key(p_tenant text, p_key text) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  v_reply replies;
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true), set_config('lock_timeout', '2s', true);
  PERFORM take_lock('reply ' || p_tenant || ' ' || p_key);
  -- A statement of its own: it sees what the last holder of the key has committed.
  SELECT * INTO v_reply FROM replies r WHERE r.tenant_id = p_tenant AND r.dedupe_key = p_key;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF v_reply.expires_at >= now() THEN RETURN to_json(v_reply); END IF;
  DELETE FROM replies r WHERE r.tenant_id = p_tenant AND r.dedupe_key = p_key;
  RETURN NULL;
END $$;

-- Deletes what is past its 24 hours, of every tenant, a batch at a time.
CREATE OR REPLACE FUNCTION purge_replies() RETURNS bigint LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH expired AS (
    SELECT tenant_id, dedupe_key FROM replies WHERE expires_at < now() LIMIT 1000
  ), deleted AS (
    DELETE FROM replies r USING expired e
    WHERE r.tenant_id = e.tenant_id AND r.dedupe_key = e.dedupe_key
    RETURNING 1
  ) SELECT count(*) FROM deleted
$$;

-- Claims the key of an approved write. The reply recorded for the approval comes first, since it is kept longer than
-- the key's.
CREATE OR REPLACE FUNCTION claim_approved(p_tenant text, p_key text, p_approval text) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
  v_reply json := claim_key(p_tenant, p_key);
BEGIN
  RETURN coalesce((SELECT to_json(r) FROM replies r
    WHERE r.tenant_id = p_tenant AND r.dedupe_key = p_approval), v_reply);
END $$;
