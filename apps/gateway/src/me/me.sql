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
