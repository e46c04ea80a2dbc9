-- When a login may be tried again that was refused so many times within the last hour; null: now.
CREATE OR REPLACE FUNCTION login_refused_until(p_tenant text, p_login text, p_tries integer)
RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN (
    SELECT r.refused_at + interval '1 hour' FROM login_refusals r
    WHERE r.tenant_id = p_tenant AND r.login = p_login AND r.refused_at > now() - interval '1 hour'
    ORDER BY r.refused_at DESC OFFSET p_tries - 1 LIMIT 1);
END $$;

CREATE OR REPLACE FUNCTION login_refused(p_tenant text, p_login text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  DELETE FROM login_refusals r
    WHERE r.tenant_id = p_tenant AND r.refused_at < now() - interval '1 hour';
  INSERT INTO login_refusals (tenant_id, login, refused_at)
    VALUES (p_tenant, p_login, clock_timestamp()) ON CONFLICT DO NOTHING;
END $$;

-- A mailbox and its account, if it has one.
CREATE OR REPLACE FUNCTION account_of(p_tenant text, p_mailbox text)
RETURNS TABLE (mailbox mailboxes, account mailbox_accounts) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT m, a FROM mailboxes m
    LEFT JOIN mailbox_accounts a ON a.tenant_id = p_tenant AND a.mailbox_id = m.id
    WHERE m.tenant_id = p_tenant AND m.id = p_mailbox;
END $$;

-- Takes the refresh of a mailbox's tokens, if it is free. No row: another process has it.
CREATE OR REPLACE FUNCTION begin_token_refresh(
  p_tenant text, p_mailbox text, p_holder text, p_lease interval)
RETURNS TABLE (provider text, tokens jsonb) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY UPDATE mailbox_accounts a
    SET refreshing_by = p_holder, refreshing_until = now() + p_lease
    WHERE a.tenant_id = p_tenant AND a.mailbox_id = p_mailbox AND a.kind = 'oauth'
      AND (a.refreshing_by IS NULL OR a.refreshing_until < now())
    RETURNING a.provider, a.tokens;
END $$;

-- Ends it with what came of it: new tokens, none any more (null), or no change. Consent that was given anew meanwhile stays.
CREATE OR REPLACE FUNCTION end_token_refresh(
  p_tenant text, p_mailbox text, p_holder text, p_is_changed boolean, p_tokens jsonb)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  UPDATE mailbox_accounts a
    SET refreshing_by = NULL, tokens = CASE WHEN p_is_changed THEN p_tokens ELSE a.tokens END
    WHERE a.tenant_id = p_tenant AND a.mailbox_id = p_mailbox AND a.refreshing_by = p_holder;
  RETURN FOUND;
END $$;

-- Remembers a request for consent for ten minutes, and forgets those that are over.
CREATE OR REPLACE FUNCTION begin_oauth_grant(
  p_tenant text, p_state_hash text, p_mailbox text, p_provider text, p_login text, p_verifier text,
  p_session text)
RETURNS void LANGUAGE sql AS $$
  DELETE FROM oauth_grants g WHERE g.tenant_id = p_tenant AND g.expires_at < now();
  INSERT INTO oauth_grants (tenant_id, state_hash, mailbox_id, provider, login, sealed_verifier,
      session, expires_at)
    VALUES (p_tenant, p_state_hash, p_mailbox, p_provider, p_login, p_verifier, p_session,
      now() + interval '10 minutes')
$$;

-- Takes one, once, in the session that began it.
CREATE OR REPLACE FUNCTION take_oauth_grant(p_tenant text, p_state_hash text, p_session text)
RETURNS SETOF oauth_grants LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY DELETE FROM oauth_grants g
    WHERE g.tenant_id = p_tenant AND g.state_hash = p_state_hash AND g.session = p_session
      AND g.expires_at > now()
    RETURNING g.*;
END $$;

-- True if the present account of a mailbox has been let in: UIDs of an earlier one are negative.
CREATE OR REPLACE FUNCTION is_let_in(p_tenant text, p_mailbox text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT EXISTS (SELECT FROM remote_folders f
    WHERE f.tenant_id = p_tenant AND f.mailbox_id = p_mailbox AND f.uid_validity > 0)
$$;

-- Another mailbox, of whichever workspace, that reads an account: the first, or null. A login that was never let in delays
-- no other.
CREATE OR REPLACE FUNCTION other_reader(p_tenant text, p_mailbox text, p_login text) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT min(m.id) FROM mailboxes m
    JOIN mailbox_accounts a ON a.tenant_id = m.tenant_id AND a.mailbox_id = m.id
  WHERE m.imap_login = lower(p_login) AND (m.tenant_id, m.id) <> (p_tenant, p_mailbox)
    AND m.deleted_at IS NULL AND is_let_in(m.tenant_id, m.id)
$$;
