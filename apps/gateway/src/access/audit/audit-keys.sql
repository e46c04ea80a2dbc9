-- The keys that links were made with, and since when.
CREATE OR REPLACE FUNCTION used_audit_keys() RETURNS TABLE (id text, since timestamptz) LANGUAGE sql STABLE
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT k.id, k.since FROM audit_keys k
$$;

CREATE OR REPLACE FUNCTION use_audit_key(p_id text) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  INSERT INTO audit_keys (id) VALUES (p_id) ON CONFLICT DO NOTHING
$$;

CREATE OR REPLACE FUNCTION any_audit_head() RETURNS SETOF audit_heads LANGUAGE sql STABLE
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT h.* FROM audit_heads h LIMIT 1
$$;
