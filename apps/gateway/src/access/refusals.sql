-- Refused writes of a key, newest first, before p_before. Ids are made a little later than the time is taken,
-- and concurrent ones in another order.
CREATE OR REPLACE FUNCTION list_refused_writes(
  p_tenant text, p_key text, p_before text, p_limit integer)
RETURNS SETOF refused_writes LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT * FROM refused_writes r
    WHERE r.tenant_id = p_tenant AND r.key_id = p_key AND r.at > now() - interval '7 days'
      AND (p_before IS NULL OR (r.at, r.id) < (
        SELECT b.at, b.id FROM refused_writes b
        WHERE b.tenant_id = p_tenant AND b.key_id = p_key AND b.id = p_before))
    ORDER BY r.at DESC, r.id DESC LIMIT p_limit;
END $$;

-- Deletes what is older than seven days, and of each key what is more than the newest thousand.
CREATE OR REPLACE FUNCTION purge_refused_writes() RETURNS bigint LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH old AS (
    (SELECT tenant_id, key_id, id FROM refused_writes
     WHERE at < now() - interval '7 days' LIMIT 1000)
    UNION ALL
    (SELECT r.tenant_id, r.key_id, r.id FROM (
       SELECT tenant_id, key_id, id,
         row_number() OVER (PARTITION BY tenant_id, key_id ORDER BY id DESC) AS place
       FROM refused_writes) r
     WHERE r.place > 1000 LIMIT 1000)
  ), deleted AS (
    DELETE FROM refused_writes r USING old
    WHERE r.tenant_id = old.tenant_id AND r.key_id = old.key_id AND r.id = old.id RETURNING 1
  ) SELECT least(count(*), 999) FROM deleted
$$;

-- Refusals of a key or member in the last minute, at whichever gateway; concurrent callers for the same one wait until
-- what is written now is committed.
CREATE OR REPLACE FUNCTION recent_refusals(p_tenant text, p_key text, p_actions text[])
RETURNS integer LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
  PERFORM take_lock('access.refusals ' || p_key);
  RETURN (SELECT count(*) FROM audit_records
          WHERE tenant_id = p_tenant AND actor_id = p_key AND action = ANY (p_actions)
            AND at > now() - interval '1 minute')
       + (SELECT count(*) FROM audit_entries
          WHERE tenant_id = p_tenant AND actor_id = p_key AND action = ANY (p_actions)
            AND at > now() - interval '1 minute');
END $$;
