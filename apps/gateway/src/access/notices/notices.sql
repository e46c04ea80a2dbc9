-- Queues a message about an account, while fewer than ten thousand wait. Strangers ask for resets, which leave room
-- for the other kinds. The first parameter is not used: a request for a reset belongs to no workspace.
CREATE OR REPLACE FUNCTION queue_notice(p_tenant text, p_id text, p_kind text, p_data text) RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH queued AS (
    INSERT INTO notices (id, kind, data)
    SELECT p_id, p_kind, p_data WHERE (SELECT count(*) FROM notices) < 10000
      AND (p_kind <> 'reset' OR (SELECT count(*) FROM notices WHERE kind = 'reset') < 8000)
    RETURNING 1
  ) SELECT EXISTS (SELECT FROM queued)
$$;

-- Deletes resets that are due and have no sign-in for their address, a thousand at most: a member's must not wait behind.
CREATE OR REPLACE FUNCTION end_vain_notices() RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH due AS MATERIALIZED (
    SELECT d.id, d.data FROM notices d WHERE d.kind = 'reset' AND d.due_at <= now()
    ORDER BY d.due_at LIMIT 1000 FOR UPDATE SKIP LOCKED)
  DELETE FROM notices n USING due WHERE n.id = due.id
    AND NOT EXISTS (SELECT FROM find_sign_in(due.data::json ->> 'email'))
$$;

-- Takes messages that are due, resets last, since strangers ask for them. Each is due again later, twice as late
-- every time, in case the gateway that took it dies or no server takes the message.
CREATE OR REPLACE FUNCTION take_notices(p_most integer)
RETURNS TABLE (id text, kind text, data text, attempts integer) LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  UPDATE notices n SET attempts = n.attempts + 1, due_at = now() + interval '1 minute' * 2 ^ n.attempts
  WHERE n.id = ANY (ARRAY(
    SELECT d.id FROM notices d WHERE d.due_at <= now()
    ORDER BY d.kind = 'reset', d.due_at LIMIT p_most FOR UPDATE SKIP LOCKED))
  RETURNING n.id, n.kind, n.data, n.attempts
$$;

CREATE OR REPLACE FUNCTION end_notice(p_id text) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DELETE FROM notices WHERE id = p_id
$$;
