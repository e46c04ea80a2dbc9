-- 12 hours idle, 7 days at most (decisions.md section 9); 5 minutes while it waits for a second factor.
CREATE OR REPLACE FUNCTION is_session_live(s sessions) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT s.seen_at > now() - interval '12 hours' AND s.created_at > now() - interval '7 days'
    AND (NOT s.half_open OR s.created_at > now() - interval '5 minutes')
$$;

CREATE OR REPLACE FUNCTION has_second_factor(p_member text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM second_factors f WHERE f.member_id = p_member AND f.totp_confirmed)
    OR EXISTS (SELECT FROM passkeys p WHERE p.member_id = p_member)
$$;

CREATE OR REPLACE FUNCTION requires_second_factor(p_tenant text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM sign_in_settings r WHERE r.tenant_id = p_tenant AND r.require_second_factor)
$$;

-- Administrators keep their passwords, so that a provider's fault locks no workspace out for good.
CREATE OR REPLACE FUNCTION keeps_password(p_tenant text, p_role text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT p_role = 'admin' OR NOT EXISTS (
    SELECT FROM sign_in_settings r WHERE r.tenant_id = p_tenant AND NOT r.passwords)
$$;

CREATE OR REPLACE FUNCTION find_session(p_token_hash text)
RETURNS TABLE (
  session_id text, tenant_id text, tenant_name text, send_open boolean, member_id text,
  email text, name text, role text, can_approve boolean, standing text, proved boolean
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT s.id, t.tenant_id, t.name, t.send_open, m.id, m.email, m.name, m.role, m.can_approve,
    CASE
      WHEN s.half_open THEN 'half'
      WHEN requires_second_factor(s.tenant_id) AND NOT has_second_factor(m.id) THEN 'enrolling'
      ELSE 'whole'
    END,
    coalesce(s.proved_at > now() - interval '15 minutes', false)
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
    AND keeps_password(t.tenant_id, m.role)
  ORDER BY m.id
$$;

CREATE OR REPLACE FUNCTION find_invitation(p_token_hash text)
RETURNS TABLE (
  tenant_id text, tenant_name text, send_open boolean, member_id text, email text, name text,
  role text, can_approve boolean, keeps_password boolean
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT t.tenant_id, t.name, t.send_open, m.id, m.email, m.name, m.role, m.can_approve,
         keeps_password(t.tenant_id, m.role)
  FROM invitations i
  JOIN members m ON m.id = i.member_id AND m.active
  JOIN tenants t ON t.tenant_id = i.tenant_id
  WHERE i.token_hash = p_token_hash AND i.expires_at > workspace_now(i.tenant_id)
$$;

-- Ends a session of whatever workspace: that of a sign-in replaces the one that it came with.
CREATE OR REPLACE FUNCTION end_session(p_id text) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DELETE FROM sessions WHERE id = p_id
$$;

-- Remembers from where a member signs in, the last twenty of them. True if that is new, and not the first.
CREATE OR REPLACE FUNCTION remember_device(p_tenant text, p_member text, p_name text, p_at timestamptz)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_known boolean := (SELECT bool_or(k.name = p_name) FROM known_devices k
                      WHERE k.tenant_id = p_tenant AND k.member_id = p_member);
BEGIN
  INSERT INTO known_devices (tenant_id, member_id, name, seen_at)
    VALUES (p_tenant, p_member, p_name, p_at)
    ON CONFLICT (tenant_id, member_id, name) DO UPDATE SET seen_at = excluded.seen_at;
  DELETE FROM known_devices k WHERE k.tenant_id = p_tenant AND k.member_id = p_member AND k.name IN (
    SELECT o.name FROM known_devices o WHERE o.tenant_id = p_tenant AND o.member_id = p_member
    ORDER BY o.seen_at DESC, o.name OFFSET 20);
  RETURN v_known IS FALSE;
END $$;

-- Deletes sessions and links whose time is over. An invitation stays with a member who has no password
-- yet, so that administrators see it and renew it.
CREATE OR REPLACE FUNCTION purge_sign_ins() RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DELETE FROM sessions s WHERE NOT is_session_live(s);
  DELETE FROM invitations i USING members m
    WHERE m.id = i.member_id AND i.expires_at <= workspace_now(i.tenant_id)
      AND (i.kind = 'reset' OR m.password_hash IS NOT NULL);
$$;
