CREATE OR REPLACE FUNCTION may_connect(p_assistants jsonb, p_host text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT (p_assistants ->> 'enabled')::boolean
    AND (p_assistants -> 'clients' = '[]' OR p_assistants -> 'clients' ? p_host)
$$;

-- The workspace's rules for assistants also hold for those already connected; their access ends with their member.
-- lasts_ms: what is left of the key's life; null for a key without an end.
CREATE OR REPLACE FUNCTION find_key(p_id text)
RETURNS TABLE (
  id text, tenant_id text, tenant_name text, send_open boolean, name text, kind text,
  approval text, scopes text[], grants jsonb, member_id text, member_email text, admin boolean,
  secret_hash text, alive boolean, lasts_ms float8
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT k.id, k.tenant_id, t.name, t.send_open, k.name, k.kind, k.approval,
         CASE WHEN k.client IS NULL THEN k.scopes
           ELSE ARRAY(SELECT s FROM unnest(k.scopes) s WHERE t.assistants -> 'scopes' ? s) END,
         k.grants, m.id, m.email, k.admin, k.secret_hash,
         k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > workspace_now(k.tenant_id))
           AND (k.client IS NULL
             OR (m.id IS NOT NULL AND may_connect(t.assistants, k.client ->> 'host'))),
         (extract(epoch FROM k.expires_at - workspace_now(k.tenant_id)) * 1000)::float8
  FROM keys k
  JOIN tenants t ON t.tenant_id = k.tenant_id
  LEFT JOIN members m ON m.id = k.member_id AND m.active
  WHERE k.id = p_id
$$;
