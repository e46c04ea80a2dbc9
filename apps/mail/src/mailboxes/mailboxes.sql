-- Answers true if another workspace has this address or a sub-address of it: if neither workspace has proved
-- the domain, the first one has the address.
CREATE OR REPLACE FUNCTION taken_elsewhere(p_tenant text, p_base text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT EXISTS (
    SELECT FROM mailboxes m WHERE m.tenant_id <> p_tenant
      AND split_part(m.routing_address, '@', 2) = split_part(p_base, '@', 2)
      AND regexp_replace(m.routing_address, '^([^+@]+)[+][^@]*@', '\1@') = p_base)
$$;

-- Answers which of these mailboxes are shared with the workspace or with the member.
CREATE OR REPLACE FUNCTION visible_mailboxes(p_tenant text, p_member text, p_addresses text[])
RETURNS SETOF text LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT m.address FROM mailboxes m
    WHERE m.tenant_id = p_tenant AND m.address = ANY (p_addresses)
      AND (m.access = '"workspace"'::jsonb OR m.access ? p_member);
END $$;

-- Answers which of these conversations are in mailboxes that are shared with the workspace or with the member, or,
-- without a member, in those of the given addresses.
CREATE OR REPLACE FUNCTION visible_conversations(
  p_tenant text, p_member text, p_addresses text[], p_ids text[])
RETURNS SETOF text LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT c.id FROM conversations c
    JOIN mailboxes m ON m.tenant_id = p_tenant AND m.id = c.mailbox_id
    WHERE c.tenant_id = p_tenant AND c.id = ANY (p_ids)
      AND CASE WHEN p_member IS NULL THEN m.address = ANY (p_addresses)
        ELSE m.access = '"workspace"'::jsonb OR m.access ? p_member END;
END $$;

-- The mailboxes of an address as it is routed, in whichever workspaces.
CREATE OR REPLACE FUNCTION mailboxes_of(p_routing_address text)
RETURNS TABLE (tenant_id text, id text) LANGUAGE sql STABLE
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT m.tenant_id, m.id FROM mailboxes m
  WHERE m.deleted_at IS NULL AND m.routing_address = p_routing_address
$$;

-- Deleted mailboxes are seen by the look-up role alone.

CREATE OR REPLACE FUNCTION delete_mailbox(p_tenant text, p_id text, p_at timestamptz) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  UPDATE mailboxes m SET deleted_at = p_at
    WHERE m.tenant_id = p_tenant AND m.id = p_id AND m.deleted_at IS NULL
$$;

-- The deleted mailboxes of an address as it is routed, or of an id.
CREATE OR REPLACE FUNCTION deleted_mailboxes(p_named text)
RETURNS TABLE (tenant_id text, id text) LANGUAGE sql STABLE
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT m.tenant_id, m.id FROM mailboxes m
  WHERE m.deleted_at IS NOT NULL AND (m.routing_address = p_named OR m.id = p_named)
$$;

CREATE OR REPLACE FUNCTION restore_mailbox(p_tenant text, p_id text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE mailboxes m SET deleted_at = NULL
    WHERE m.tenant_id = p_tenant AND m.id = p_id AND m.deleted_at IS NOT NULL;
  RETURN FOUND;
END $$;

-- The mailbox whose 30 days ended first, locked, so that it is not restored meanwhile.
CREATE OR REPLACE FUNCTION take_expired_mailbox() RETURNS TABLE (tenant_id text, id text)
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT m.tenant_id, m.id FROM mailboxes m
  WHERE m.deleted_at < now() - interval '30 days'
  ORDER BY m.deleted_at LIMIT 1 FOR UPDATE SKIP LOCKED
$$;

CREATE OR REPLACE FUNCTION forget_mailbox(p_tenant text, p_id text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DELETE FROM mailboxes m
    WHERE m.tenant_id = p_tenant AND m.id = p_id AND m.deleted_at < now() - interval '30 days'
$$;

-- Deletes a batch of what belongs to a mailbox whose time is over, at last the mailbox; as its tenant.
-- Answers 1000, for another round at once, until nothing is left of any.
CREATE OR REPLACE FUNCTION purge_mailboxes() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_tenant text;
  v_mailbox text;
  v_ids text[];
  v_comments bigint;
BEGIN
  SELECT e.tenant_id, e.id INTO v_tenant, v_mailbox FROM take_expired_mailbox() e;
  IF NOT FOUND THEN RETURN 0; END IF;
  PERFORM set_config('postroom.tenant', v_tenant, true);

  -- Drafts name messages and signatures.
  DELETE FROM drafts d WHERE d.tenant_id = v_tenant AND d.id = ANY (ARRAY(
    SELECT o.id FROM drafts o WHERE o.tenant_id = v_tenant AND o.mailbox_id = v_mailbox LIMIT 200));
  IF FOUND THEN RETURN 1000; END IF;
  DELETE FROM draft_files f WHERE f.tenant_id = v_tenant AND f.id = ANY (ARRAY(
    SELECT o.id FROM draft_files o WHERE o.tenant_id = v_tenant AND o.mailbox_id = v_mailbox LIMIT 20));
  IF FOUND THEN RETURN 1000; END IF;

  v_ids := ARRAY(SELECT m.id FROM messages m
    WHERE m.tenant_id = v_tenant AND m.mailbox_id = v_mailbox LIMIT 200);
  IF cardinality(v_ids) > 0 THEN
    DELETE FROM attachments a WHERE a.tenant_id = v_tenant AND a.message = ANY (v_ids);
    DELETE FROM raw_messages r WHERE r.tenant_id = v_tenant AND r.message = ANY (v_ids);
    DELETE FROM messages m WHERE m.tenant_id = v_tenant AND m.id = ANY (v_ids);
    RETURN 1000;
  END IF;

  v_ids := ARRAY(SELECT c.id FROM conversations c
    WHERE c.tenant_id = v_tenant AND c.mailbox_id = v_mailbox LIMIT 500);
  IF cardinality(v_ids) > 0 THEN
    DELETE FROM comments k WHERE k.tenant_id = v_tenant AND k.conversation_id = ANY (v_ids);
    GET DIAGNOSTICS v_comments = ROW_COUNT;
    PERFORM add_to_quota(v_tenant, 'comments', -v_comments) WHERE v_comments > 0;
    DELETE FROM snoozes s WHERE s.tenant_id = v_tenant AND s.conversation_id = ANY (v_ids);
    DELETE FROM conversation_labels l WHERE l.tenant_id = v_tenant AND l.conversation_id = ANY (v_ids);
    DELETE FROM conversations c WHERE c.tenant_id = v_tenant AND c.id = ANY (v_ids);
    RETURN 1000;
  END IF;

  DELETE FROM remote_messages r WHERE r.ctid = ANY (ARRAY(
    SELECT o.ctid FROM remote_messages o WHERE o.tenant_id = v_tenant AND o.mailbox_id = v_mailbox LIMIT 10000));
  IF FOUND THEN RETURN 1000; END IF;

  -- Bytes of sends that never became messages.
  DELETE FROM raw_messages r USING send_reservations s
    WHERE s.tenant_id = v_tenant AND s.mailbox_id = v_mailbox
      AND r.tenant_id = v_tenant AND r.message = s.message;
  DELETE FROM send_reservations s WHERE s.tenant_id = v_tenant AND s.mailbox_id = v_mailbox;
  DELETE FROM dlp_warnings w WHERE w.tenant_id = v_tenant AND w.mailbox_id = v_mailbox;
  DELETE FROM thread_ids t WHERE t.tenant_id = v_tenant AND t.mailbox_id = v_mailbox;
  DELETE FROM labels l WHERE l.tenant_id = v_tenant AND l.mailbox_id = v_mailbox;
  DELETE FROM inbox_counters c WHERE c.tenant_id = v_tenant AND c.mailbox_id = v_mailbox;
  DELETE FROM imports i WHERE i.tenant_id = v_tenant AND i.mailbox_id = v_mailbox;
  DELETE FROM signatures s WHERE s.tenant_id = v_tenant AND s.mailbox_id = v_mailbox;
  PERFORM forget_mailbox(v_tenant, v_mailbox);
  RETURN 1000;
END $$;
