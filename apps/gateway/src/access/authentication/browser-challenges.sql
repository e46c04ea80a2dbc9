-- True the first time that a challenge is used. It is remembered for as long as it could be used again.
CREATE OR REPLACE FUNCTION use_challenge(p_id text, p_seconds integer) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO used_challenges (id, expires_at) VALUES (p_id, now() + make_interval(secs => p_seconds))
    ON CONFLICT DO NOTHING;
  RETURN FOUND;
END $$;

CREATE OR REPLACE FUNCTION purge_used_challenges() RETURNS bigint LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH deleted AS (
    DELETE FROM used_challenges u WHERE u.id = ANY (ARRAY(
      SELECT o.id FROM used_challenges o WHERE o.expires_at < now() LIMIT 1000)) RETURNING 1
  ) SELECT count(*) FROM deleted
$$;
