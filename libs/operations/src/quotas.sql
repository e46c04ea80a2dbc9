-- Adds to the amount of a quota, in a slot that no other transaction has locked, or in a new one.
CREATE OR REPLACE FUNCTION add_to_quota(
  p_tenant text, p_quota text, p_amount bigint, p_day date DEFAULT '-infinity')
RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_slot uuid;
BEGIN
  SELECT c.slot INTO v_slot FROM quota_counters c
    WHERE c.tenant_id = p_tenant AND c.quota = p_quota AND c.day = p_day
    LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
  IF FOUND THEN
    UPDATE quota_counters c SET amount = c.amount + p_amount
      WHERE c.tenant_id = p_tenant AND c.quota = p_quota AND c.day = p_day AND c.slot = v_slot;
  ELSE
    INSERT INTO quota_counters (tenant_id, quota, day, amount)
      VALUES (p_tenant, p_quota, p_day, p_amount);
  END IF;
END $$;

CREATE OR REPLACE FUNCTION counted_of_quota(
  p_tenant text, p_quota text, p_day date DEFAULT '-infinity')
RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(c.amount), 0)::bigint FROM quota_counters c
  WHERE c.tenant_id = p_tenant AND c.quota = p_quota AND c.day = p_day
$$;

-- The day of a daily quota.
CREATE OR REPLACE FUNCTION quota_day() RETURNS date LANGUAGE sql STABLE AS $$
  SELECT (now() AT TIME ZONE 'UTC')::date
$$;

-- Moves bytes that changes have recorded into the counters, of every tenant, a batch at a time: into what the
-- workspace stores, to be taken off again on the day when they are gone, and into those of the day of each owner. One call at a time does it; a concurrent one has nothing to do.
CREATE OR REPLACE FUNCTION fold_recorded() RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_folded bigint;
BEGIN
  IF NOT try_turn('fold_recorded') THEN
    RETURN 0;
  END IF;
  WITH taken AS (
    DELETE FROM recorded_bytes
    WHERE ctid = ANY (ARRAY(SELECT r.ctid FROM recorded_bytes r LIMIT 10000))
    RETURNING tenant_id, owner, (at AT TIME ZONE 'UTC')::date AS day, days, bytes
  ), summed AS (
    SELECT t.tenant_id, to_add.quota, to_add.day, sum(t.bytes) AS amount
    FROM taken t CROSS JOIN LATERAL (VALUES ('storedBytes', '-infinity'::date), ('recordedBytes', t.day + t.days),
      ('recordedBytes ' || nullif(t.owner, ''), t.day)) AS to_add (quota, day)
    WHERE to_add.quota IS NOT NULL GROUP BY 1, 2, 3
  ), counted AS (
    INSERT INTO quota_counters AS c (tenant_id, quota, day, slot, amount)
    SELECT s.tenant_id, s.quota, s.day, '00000000-0000-0000-0000-000000000000', s.amount FROM summed s
    ON CONFLICT (tenant_id, quota, day, slot) DO UPDATE SET amount = c.amount + excluded.amount
  )
  SELECT count(*) INTO v_folded FROM taken;
  WITH gone AS (
    DELETE FROM quota_counters c
    WHERE c.quota = 'recordedBytes' AND c.day < quota_day()
      OR c.quota LIKE 'recordedBytes %' AND c.day < quota_day() - 1
    RETURNING c.tenant_id, c.quota, c.amount
  )
  INSERT INTO quota_counters (tenant_id, quota, amount)
    SELECT g.tenant_id, 'storedBytes', -sum(g.amount) FROM gone g WHERE g.quota = 'recordedBytes' GROUP BY 1;
  RETURN v_folded;
END $$;

-- Returns those for whom nothing more may be recorded: owners that have reached their bound of the day, and workspaces
-- (without an owner) whose recorded bytes have reached what they may store.
CREATE OR REPLACE FUNCTION recorders_full(p_owner_max bigint, p_workspace_max bigint)
RETURNS TABLE (tenant_id text, owner text, used float8)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT c.tenant_id, substr(c.quota, 15), sum(c.amount)::float8 FROM quota_counters c
  WHERE c.quota LIKE 'recordedBytes %' AND c.day = quota_day()
  GROUP BY c.tenant_id, c.quota HAVING sum(c.amount) >= p_owner_max
  UNION ALL
  SELECT c.tenant_id, '', sum(c.amount)::float8 FROM quota_counters c
  WHERE c.quota = 'recordedBytes' GROUP BY c.tenant_id HAVING sum(c.amount) >= p_workspace_max
$$;
