-- The first conversations that came to trash or spam p_days ago or more and have received nothing since.
CREATE OR REPLACE FUNCTION take_trashed(p_days integer) RETURNS TABLE (tenant_id text, id text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT c.tenant_id, c.id FROM conversations c
  WHERE c.trashed_at < now() - make_interval(days => p_days)
    AND c.last_message_at < now() - make_interval(days => p_days)
  ORDER BY c.trashed_at LIMIT 20
$$;

-- Empties trash and spam: deletes a batch of what is in conversations whose time is over, at last these; as their
-- tenant. Answers 1000, for another round at once, until nothing is left.
CREATE OR REPLACE FUNCTION purge_trash(p_days integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_tenant text;
  v_ids text[];
BEGIN
  SELECT t.tenant_id, array_agg(t.id) INTO v_tenant, v_ids FROM take_trashed(p_days) t
    GROUP BY 1 ORDER BY 1 LIMIT 1;
  IF NOT FOUND THEN RETURN 0; END IF;
  PERFORM set_config('postroom.tenant', v_tenant, true);
  -- One that a send needs has its days again.
  UPDATE conversations c SET trashed_at = now()
    WHERE c.tenant_id = v_tenant AND c.id = ANY (v_ids) AND c.trashed_at IS NOT NULL
      AND c.id IN (SELECT held_conversations(v_tenant));
  -- Looked at again under its lock: a member may have taken it out meanwhile.
  v_ids := ARRAY(SELECT c.id FROM conversations c
    WHERE c.tenant_id = v_tenant AND c.id = ANY (v_ids)
      AND c.trashed_at < now() - make_interval(days => p_days)
    ORDER BY c.id FOR UPDATE SKIP LOCKED);
  IF v_ids = '{}' THEN RETURN 0; END IF;
  PERFORM delete_conversations(v_tenant, v_ids);
  RETURN 1000;
END $$;
