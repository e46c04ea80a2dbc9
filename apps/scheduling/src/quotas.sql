-- Counts rows for the quota that its trigger names. Each service has such a function of its own: a file may need
-- no other one's to create a trigger.
CREATE OR REPLACE FUNCTION count_row() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN PERFORM add_to_quota(NEW.tenant_id, TG_ARGV[0], 1);
  ELSE PERFORM add_to_quota(OLD.tenant_id, TG_ARGV[0], -1);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER count_event AFTER INSERT OR DELETE ON calendar_events
  FOR EACH ROW EXECUTE FUNCTION count_row('events');

CREATE OR REPLACE TRIGGER count_task AFTER INSERT OR DELETE ON tasks
  FOR EACH ROW EXECUTE FUNCTION count_row('tasks');

-- Usage of a quota of this service by a workspace; also outside a transaction that has set the tenant.
CREATE OR REPLACE FUNCTION quota_used(p_tenant text, p_quota text) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN counted_of_quota(p_tenant, p_quota);
END $$;
