-- Takes the challenge of a session: it counts once, whatever comes of it.
CREATE OR REPLACE FUNCTION take_challenge(p_tenant text, p_session text) RETURNS text LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH given AS (
    SELECT s.id, s.challenge, s.challenge_until FROM sessions s
    WHERE s.tenant_id = p_tenant AND s.id = p_session FOR UPDATE
  )
  UPDATE sessions s SET challenge = NULL FROM given
  WHERE s.id = given.id AND given.challenge_until > now() RETURNING given.challenge
$$;

-- The passkey that a browser presents, with its member.
CREATE OR REPLACE FUNCTION find_passkey(p_credential text)
RETURNS TABLE (
  tenant_id text, tenant_name text, send_open boolean, member_id text, email text, name text,
  role text, can_approve boolean, passkey_id text, public_key bytea, counter bigint
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT t.tenant_id, t.name, t.send_open, m.id, m.email, m.name, m.role, m.can_approve,
    p.id, p.public_key, p.counter
  FROM passkeys p
  JOIN members m ON m.id = p.member_id AND m.active
  JOIN tenants t ON t.tenant_id = p.tenant_id
  WHERE p.credential_id = p_credential
$$;

-- Counts a use; false when the passkey has been used meanwhile, or is gone.
CREATE OR REPLACE FUNCTION use_passkey(p_id text, p_before bigint, p_after bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE passkeys SET counter = p_after, used_at = now() WHERE id = p_id AND counter = p_before;
  RETURN FOUND;
END $$;
