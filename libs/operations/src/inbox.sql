-- Sets the tenant and marks the event as consumed, in one round trip. False: it had its effect before. A
-- concurrent delivery of the same event is waited for.
CREATE OR REPLACE FUNCTION take_event(p_tenant text, p_consumer text, p_event text)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  INSERT INTO inbox (tenant_id, consumer, event_id) VALUES (p_tenant, p_consumer, p_event)
    ON CONFLICT DO NOTHING;
  RETURN FOUND;
END $$;

-- Deletes events of every tenant that no bus keeps long enough to deliver again, a batch at a time.
CREATE OR REPLACE FUNCTION purge_inbox() RETURNS bigint LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH old AS (
    SELECT tenant_id, consumer, event_id FROM inbox
    WHERE consumed_at < now() - interval '7 days' LIMIT 1000
  ), deleted AS (
    DELETE FROM inbox i USING old
    WHERE i.tenant_id = old.tenant_id AND i.consumer = old.consumer AND i.event_id = old.event_id
    RETURNING 1
  ) SELECT count(*) FROM deleted
$$;
