-- Each of these sets the tenant and does its work in one round trip.

CREATE OR REPLACE FUNCTION put_chunk(
  p_tenant text, p_blob text, p_position integer, p_last boolean, p_bytes bytea)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  INSERT INTO chunks (tenant_id, blob_id, position, is_last, bytes)
    VALUES (p_tenant, p_blob, p_position, p_last, p_bytes);
END $$;

CREATE OR REPLACE FUNCTION get_chunk(p_tenant text, p_blob text, p_position integer)
RETURNS TABLE (is_last boolean, bytes bytea) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT c.is_last, c.bytes FROM chunks c
    WHERE c.tenant_id = p_tenant AND c.blob_id = p_blob AND c.position = p_position;
END $$;

CREATE OR REPLACE FUNCTION drop_blob(p_tenant text, p_blob text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  DELETE FROM chunks WHERE tenant_id = p_tenant AND blob_id = p_blob;
END $$;

-- Deletes blobs that no service has claimed for an hour, of every tenant. Many processes call it, and a backlog may
-- be large: each call takes some rows that no other one has.
CREATE OR REPLACE FUNCTION purge_chunks() RETURNS bigint LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH unclaimed AS (
    SELECT tenant_id, blob_id, position FROM chunks
    WHERE created_at < now() - interval '1 hour'
    LIMIT 1000 FOR UPDATE SKIP LOCKED
  ), deleted AS (
    DELETE FROM chunks USING unclaimed u
    WHERE (chunks.tenant_id, chunks.blob_id, chunks.position)
      = (u.tenant_id, u.blob_id, u.position)
    RETURNING 1
  ) SELECT count(*) FROM deleted
$$;
