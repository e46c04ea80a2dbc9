-- Tasks of a workspace that match, the newest first, after an id in that order, each with the number of all
-- that match; where none is left, a row without a task.
CREATE OR REPLACE FUNCTION list_tasks(
  p_tenant text, p_status text, p_assignee text, p_patterns text[], p_team text, p_thread text,
  p_due_before bigint, p_due_after bigint, p_after_id text, p_limit integer)
RETURNS TABLE (task tasks, total bigint) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    -- Looked for twice: the page is the end of an index, and the number needs neither order nor rows.
    WITH matching AS NOT MATERIALIZED (
      SELECT t.id, t AS found FROM tasks t
      WHERE t.tenant_id = p_tenant
        AND (p_status IS NULL OR t.status = p_status)
        AND (p_assignee IS NULL OR t.assignee = p_assignee)
        AND (p_team IS NULL OR t.team_id = p_team)
        AND (p_thread IS NULL OR t.thread_id = p_thread)
        AND (p_due_before IS NULL OR t.due_ms < p_due_before)
        AND (p_due_after IS NULL OR t.due_ms >= p_due_after)
        AND (cardinality(p_patterns) = 0 OR t.search_text LIKE ALL (p_patterns))
    ), page AS (
      SELECT m.id, m.found FROM matching m WHERE p_after_id IS NULL OR m.id < p_after_id
      ORDER BY m.id DESC LIMIT p_limit
    )
    SELECT page.found, counted.total
    FROM (SELECT count(*) AS total FROM matching) counted LEFT JOIN page ON true
    ORDER BY page.id DESC;
END $$;

CREATE OR REPLACE FUNCTION read_task(p_tenant text, p_id text) RETURNS SETOF tasks
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT t.* FROM tasks t WHERE t.tenant_id = p_tenant AND t.id = p_id;
END $$;
