-- Refusals of a key in the last minute, at whichever gateway; concurrent callers for the same key wait until
-- what is written now is committed.
CREATE OR REPLACE FUNCTION recent_refusals(p_tenant text, p_key text, p_actions text[])
RETURNS integer LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('access.refusals ' || p_key, 0));
  RETURN (SELECT count(*) FROM audit_records
          WHERE tenant_id = p_tenant AND actor_id = p_key AND action = ANY (p_actions)
            AND at > now() - interval '1 minute')
       + (SELECT count(*) FROM audit_entries
          WHERE tenant_id = p_tenant AND actor_id = p_key AND action = ANY (p_actions)
            AND at > now() - interval '1 minute');
END $$;
