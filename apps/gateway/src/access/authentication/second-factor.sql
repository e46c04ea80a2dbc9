-- Counts a proof that is about to be judged, while the member has tries left in the hour; else how many seconds to
-- wait. One that succeeds starts the count anew.
CREATE OR REPLACE FUNCTION begin_proof(p_tenant text, p_member text, p_most integer) RETURNS float8
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO second_factors AS f (member_id, tenant_id, tries) VALUES (p_member, p_tenant, 1)
  ON CONFLICT (member_id) DO UPDATE SET
    tries = CASE WHEN f.tries_since < now() - interval '1 hour' THEN 1 ELSE f.tries + 1 END,
    tries_since =
      CASE WHEN f.tries_since < now() - interval '1 hour' THEN now() ELSE f.tries_since END
    WHERE f.tries < p_most OR f.tries_since < now() - interval '1 hour';
  IF FOUND THEN RETURN NULL; END IF;
  RETURN (SELECT extract(epoch FROM f.tries_since + interval '1 hour' - now())::float8
    FROM second_factors f WHERE f.member_id = p_member);
END $$;
