-- The spelling of each label of a mailbox; one that it does not have yet is taken as it is given. In the
-- order of keys, so that two requests never wait for each other. They stay until the commit: one that is being
-- removed is waited for, and taken anew.
CREATE OR REPLACE FUNCTION spell_labels(
  p_tenant text, p_mailbox_id text, p_keys text[], p_names text[])
RETURNS TABLE (key text, name text) LANGUAGE plpgsql AS $$
DECLARE
  v_kept integer := -1;
BEGIN
  WHILE v_kept < cardinality(p_keys) LOOP
    INSERT INTO labels AS l (tenant_id, mailbox_id, key, name)
      SELECT p_tenant, p_mailbox_id, given.key COLLATE "C" AS given_key, given.name
      FROM unnest(p_keys, p_names) AS given (key, name) ORDER BY given_key
      ON CONFLICT DO NOTHING;
    PERFORM FROM labels l
      WHERE l.tenant_id = p_tenant AND l.mailbox_id = p_mailbox_id AND l.key = ANY (p_keys)
      ORDER BY l.key FOR KEY SHARE;
    GET DIAGNOSTICS v_kept = ROW_COUNT;
  END LOOP;
  RETURN QUERY SELECT l.key, l.name FROM labels l
    WHERE l.tenant_id = p_tenant AND l.mailbox_id = p_mailbox_id AND l.key = ANY (p_keys);
END $$;

-- A step of a change of a label, on p_limit conversations at most: it becomes another one, which may be there
-- already or be another spelling, or, with p_to null, none. Done when no conversation has it, and the label itself
-- is gone. No row when there is no such label.
CREATE OR REPLACE FUNCTION change_label(
  p_tenant text, p_mailbox_id text, p_key text, p_to_key text, p_to text, p_at timestamptz,
  p_limit integer)
RETURNS TABLE (changed integer, is_done boolean) LANGUAGE plpgsql AS $$
DECLARE
  v_label text;
  v_to text := p_to;
  v_ids text[];
BEGIN
  SELECT l.name INTO v_label FROM labels l
    WHERE l.tenant_id = p_tenant AND l.mailbox_id = p_mailbox_id AND l.key = p_key;
  IF NOT FOUND THEN RETURN; END IF;
  IF p_to_key <> p_key THEN
    SELECT s.name INTO v_to
      FROM spell_labels(p_tenant, p_mailbox_id, ARRAY[p_to_key], ARRAY[p_to]) s;
  END IF;
  is_done := v_to = v_label;
  IF is_done THEN
    changed := 0;
    RETURN NEXT;
    RETURN;
  END IF;

  v_ids := ARRAY(SELECT l.conversation_id FROM conversation_labels l
    WHERE l.tenant_id = p_tenant AND l.mailbox_id = p_mailbox_id AND l.label = v_label
    LIMIT p_limit);
  PERFORM FROM conversations c WHERE c.tenant_id = p_tenant AND c.id = ANY (v_ids)
    ORDER BY c.id FOR NO KEY UPDATE;
  UPDATE conversations c SET version = c.version + 1, updated_at = greatest(c.updated_at, p_at),
      labels = CASE WHEN v_to IS NULL OR v_to = ANY (c.labels) THEN array_remove(c.labels, v_label)
        ELSE array_replace(c.labels, v_label, v_to) END
    WHERE c.tenant_id = p_tenant AND c.id = ANY (v_ids) AND v_label = ANY (c.labels);
  GET DIAGNOSTICS changed = ROW_COUNT;

  is_done := false;
  IF v_ids = '{}' THEN
    -- A change that is putting it on a conversation has it locked, and is waited for.
    PERFORM FROM labels l
      WHERE l.tenant_id = p_tenant AND l.mailbox_id = p_mailbox_id AND l.key = p_key FOR UPDATE;
    is_done := NOT EXISTS (SELECT FROM conversation_labels l
      WHERE l.tenant_id = p_tenant AND l.mailbox_id = p_mailbox_id AND l.label = v_label);
    IF is_done AND p_to_key = p_key THEN
      UPDATE labels l SET name = v_to
        WHERE l.tenant_id = p_tenant AND l.mailbox_id = p_mailbox_id AND l.key = p_key;
    ELSIF is_done THEN
      DELETE FROM labels l
        WHERE l.tenant_id = p_tenant AND l.mailbox_id = p_mailbox_id AND l.key = p_key;
    END IF;
  END IF;
  RETURN NEXT;
END $$;
