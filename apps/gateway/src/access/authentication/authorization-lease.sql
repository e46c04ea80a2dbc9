-- A lease for one second, for a gateway that has emptied its memory since the last change; returns that
-- change's number. The shared lock waits for a change that is being committed, and makes the next one wait
-- for this: every lease that misses a change is there when the change looks.
CREATE OR REPLACE FUNCTION renew_lease(p_instance text, p_cleared bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_epoch bigint;
  v_until timestamptz;
BEGIN
  SELECT e.epoch INTO v_epoch FROM authorization_epoch e FOR SHARE;
  v_until := clock_timestamp() + interval '1 second';
  INSERT INTO authorization_leases AS l (instance, cleared_epoch, expires_at)
    VALUES (p_instance, p_cleared, CASE WHEN p_cleared = v_epoch THEN v_until ELSE '-infinity' END)
    ON CONFLICT (instance) DO UPDATE SET cleared_epoch = excluded.cleared_epoch,
      expires_at = greatest(l.expires_at, excluded.expires_at);
  RETURN v_epoch;
END $$;

-- True if a live lease may still answer from before change p_epoch (null: the last one).
CREATE OR REPLACE FUNCTION outdated_leases(p_epoch bigint)
RETURNS TABLE (epoch bigint, outdated boolean)
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT asked.epoch, EXISTS (
    SELECT FROM authorization_leases l
    WHERE l.cleared_epoch < asked.epoch AND l.expires_at > clock_timestamp()
  )
  FROM (SELECT coalesce(p_epoch, e.epoch) AS epoch FROM authorization_epoch e) asked
$$;

CREATE OR REPLACE FUNCTION purge_leases() RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DELETE FROM authorization_leases WHERE expires_at < now() - interval '1 minute'
$$;

CREATE OR REPLACE FUNCTION note_authorization_change() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE authorization_epoch SET epoch = epoch + 1;
  PERFORM pg_notify('authorization_epoch', '');
  RETURN NULL;
END $$;

-- The columns that find_key reads; a new key is in no cache yet. Deferred, so that the epoch is locked no
-- longer than the commit takes. (PostgreSQL cannot replace a constraint trigger.)
DROP TRIGGER IF EXISTS authorization_change ON keys;
CREATE CONSTRAINT TRIGGER authorization_change AFTER UPDATE OF name, kind, approval, scopes, grants,
  member_id, admin, secret_hash, expires_at, revoked_at OR DELETE ON keys
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_authorization_change();

DROP TRIGGER IF EXISTS authorization_change ON members;
CREATE CONSTRAINT TRIGGER authorization_change AFTER UPDATE OF email, active OR DELETE ON members
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_authorization_change();

DROP TRIGGER IF EXISTS authorization_change ON tenants;
CREATE CONSTRAINT TRIGGER authorization_change AFTER UPDATE OF name, send_open, assistants OR DELETE ON tenants
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_authorization_change();
