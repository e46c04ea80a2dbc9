-- The newest signing key; none when there is none that is younger than p_days.
CREATE OR REPLACE FUNCTION current_receipt_key(p_days integer)
RETURNS TABLE (kid text, sealed_private_key text) LANGUAGE sql STABLE
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT k.kid, k.sealed_private_key FROM receipt_keys k
  WHERE k.created_at > now() - make_interval(days => p_days) ORDER BY k.created_at DESC LIMIT 1
$$;

-- Adds a signing key; of several gateways that find none at once, each adds its own, and the newest is used.
CREATE OR REPLACE FUNCTION add_receipt_key(p_kid text, p_public jsonb, p_sealed text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  INSERT INTO receipt_keys (kid, public_jwk, sealed_private_key) VALUES (p_kid, p_public, p_sealed)
$$;

-- The public keys of all receipts that are kept.
CREATE OR REPLACE FUNCTION published_receipt_keys() RETURNS TABLE (jwk jsonb) LANGUAGE sql STABLE
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT k.public_jwk || jsonb_build_object('kid', k.kid) FROM receipt_keys k ORDER BY k.created_at DESC
$$;

-- A key signs for thirty days, and its receipts are kept for ninety.
CREATE OR REPLACE FUNCTION purge_receipt_keys() RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DELETE FROM receipt_keys WHERE created_at < now() - interval '150 days'
$$;
