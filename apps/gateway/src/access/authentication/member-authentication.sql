-- 12 hours idle, 7 days at most (decisions.md section 9).
CREATE OR REPLACE FUNCTION is_session_live(s sessions) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT s.seen_at > now() - interval '12 hours' AND s.created_at > now() - interval '7 days'
$$;

CREATE OR REPLACE FUNCTION find_session(p_token_hash text)
RETURNS TABLE (
  session_id text, tenant_id text, tenant_name text, send_open boolean, member_id text,
  email text, name text, role text, can_approve boolean
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT s.id, t.tenant_id, t.name, t.send_open, m.id, m.email, m.name, m.role, m.can_approve
  FROM sessions s
  JOIN members m ON m.id = s.member_id AND m.active
  JOIN tenants t ON t.tenant_id = s.tenant_id
  WHERE s.token_hash = p_token_hash AND is_session_live(s)
$$;

CREATE OR REPLACE FUNCTION find_sign_in(p_email text)
RETURNS TABLE (
  tenant_id text, tenant_name text, send_open boolean, member_id text, email text, name text,
  role text, can_approve boolean, password_hash text
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT t.tenant_id, t.name, t.send_open, m.id, m.email, m.name, m.role, m.can_approve,
         m.password_hash
  FROM members m JOIN tenants t ON t.tenant_id = m.tenant_id
  WHERE m.email = p_email AND m.active AND m.password_hash IS NOT NULL
  ORDER BY m.id
$$;

CREATE OR REPLACE FUNCTION find_invitation(p_token_hash text)
RETURNS TABLE (
  tenant_id text, tenant_name text, send_open boolean, member_id text, email text, name text,
  role text, can_approve boolean
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT t.tenant_id, t.name, t.send_open, m.id, m.email, m.name, m.role, m.can_approve
  FROM invitations i
  JOIN members m ON m.id = i.member_id AND m.active
  JOIN tenants t ON t.tenant_id = i.tenant_id
  WHERE i.token_hash = p_token_hash AND i.expires_at > now()
$$;

-- Ends a session of whatever workspace: that of a sign-in replaces the one that it came with.
CREATE OR REPLACE FUNCTION end_session(p_id text) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DELETE FROM sessions WHERE id = p_id
$$;

-- Deletes sessions and links whose time is over.
CREATE OR REPLACE FUNCTION purge_sign_ins() RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DELETE FROM sessions s WHERE NOT is_session_live(s);
  DELETE FROM invitations WHERE expires_at <= now();
$$;
