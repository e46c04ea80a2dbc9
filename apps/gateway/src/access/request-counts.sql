-- Records what a gateway has counted for the limits since it sent the last time, and returns what others have
-- sent after what it has received from each (p_received: their last numbers).
CREATE OR REPLACE FUNCTION exchange_request_counts(
  p_instance text, p_number integer, p_counts jsonb, p_received jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO told_requests (instance, number, counts, told_at)
    VALUES (p_instance, p_number, p_counts, clock_timestamp());
  RETURN (
    SELECT coalesce(jsonb_agg(jsonb_build_object('instance', t.instance, 'number', t.number,
      'agoMs', extract(epoch FROM clock_timestamp() - t.told_at) * 1000, 'counts', t.counts)), '[]')
    FROM told_requests t
    WHERE t.instance <> p_instance AND t.told_at > clock_timestamp() - interval '1 minute'
      AND t.number > coalesce((p_received->>t.instance)::integer, 0));
END $$;

CREATE OR REPLACE FUNCTION purge_request_counts() RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DELETE FROM told_requests WHERE told_at < now() - interval '1 minute'
$$;
