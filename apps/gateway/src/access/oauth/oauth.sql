-- Registers a client for a day. False when its network, or all of them, have as many that no member has allowed yet.
CREATE OR REPLACE FUNCTION register_oauth_client(p_id text, p_name text, p_uris text[], p_site text)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM take_lock('oauth clients');
  IF (SELECT count(*) FROM oauth_clients c WHERE NOT c.is_used AND c.site = p_site) >= 50
    OR (SELECT count(*) FROM oauth_clients c WHERE NOT c.is_used) >= 10000 THEN
    RETURN false;
  END IF;
  INSERT INTO oauth_clients (id, name, redirect_uris, site, expires_at)
    VALUES (p_id, p_name, p_uris, p_site, now() + interval '1 day');
  RETURN true;
END $$;

CREATE OR REPLACE FUNCTION find_oauth_client(p_id text)
RETURNS TABLE (id text, name text, redirect_uris text[])
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT c.id, c.name, c.redirect_uris FROM oauth_clients c WHERE c.id = p_id AND c.expires_at > now()
$$;

-- A member has allowed it.
CREATE OR REPLACE FUNCTION keep_oauth_client(p_id text) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  UPDATE oauth_clients SET is_used = true, expires_at = now() + interval '90 days' WHERE id = p_id
$$;

-- A token of whatever kind, with the key that it stands for as find_key has it, and that key's member.
CREATE OR REPLACE FUNCTION find_oauth_token(p_hash text)
RETURNS TABLE (
  token_kind text, redirect_uri text, challenge text, is_used boolean, is_live boolean,
  client_id text, member_name text, role text, can_approve boolean,
  id text, tenant_id text, tenant_name text, send_open boolean, name text, kind text,
  approval text, scopes text[], grants jsonb, member_id text, member_email text, admin boolean,
  secret_hash text, alive boolean, lasts_ms float8
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT t.kind, t.redirect_uri, t.challenge, t.used_at IS NOT NULL,
         t.expires_at > workspace_now(t.tenant_id),
         c.client ->> 'id', m.name, m.role, m.can_approve, k.*
  FROM oauth_tokens t
  JOIN keys c ON c.id = t.key_id
  LEFT JOIN members m ON m.id = c.member_id
  CROSS JOIN LATERAL find_key(t.key_id) k
  WHERE t.hash = p_hash
$$;

-- Deletes tokens that have expired (codes an hour later, so that a second use is noticed), registrations, and
-- connections that ended 90 days ago or were never used; ends those that were not used for as long as a token lives.
CREATE OR REPLACE FUNCTION purge_oauth() RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DELETE FROM oauth_clients c WHERE c.expires_at < now();
  UPDATE keys k SET revoked_at = now(), version = version + 1
    WHERE k.client IS NOT NULL AND k.revoked_at IS NULL AND k.expires_at IS NULL AND NOT EXISTS (
      SELECT FROM oauth_tokens t WHERE t.key_id = k.id AND t.expires_at > now());
  DELETE FROM oauth_tokens t WHERE t.hash = ANY (ARRAY(
    SELECT o.hash FROM oauth_tokens o WHERE o.expires_at < now() - interval '1 hour' LIMIT 10000));
  DELETE FROM keys k WHERE k.client IS NOT NULL
    AND (k.revoked_at < now() - interval '90 days'
      OR (k.last_used_at IS NULL AND k.expires_at < now() - interval '1 hour'))
    AND NOT EXISTS (SELECT FROM approvals a WHERE a.tenant_id = k.tenant_id AND a.key_id = k.id)
$$;
