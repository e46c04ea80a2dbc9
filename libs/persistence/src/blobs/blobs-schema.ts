import type { MigrationInterface, QueryRunner } from 'typeorm';
import { lookupRole, type ServiceSchema } from '../provision/service-schema.js';

class Init1764060000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(chunks + functions);
  }

  down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}

class ForgetInBatches1764250000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(forgetInBatches);
  }

  down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}

const chunks = `
  -- Unlogged: who waits for a body when the server goes down gets an error and asks again.
  CREATE UNLOGGED TABLE chunks (
    tenant_id text COLLATE "C" NOT NULL,
    blob_id text COLLATE "C" NOT NULL,
    position integer NOT NULL,
    is_last boolean NOT NULL,
    bytes bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, blob_id, position)
  );
  -- What is on its way is compressed already, or not worth it.
  ALTER TABLE chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;
  CREATE INDEX chunks_age ON chunks (created_at);
  ALTER TABLE chunks ENABLE ROW LEVEL SECURITY;
  ALTER TABLE chunks FORCE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON chunks
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));
`;

const lookup = lookupRole('blobs');

/** Each sets the tenant and does its work in one trip. */
const functions = `
  CREATE FUNCTION put_chunk(p_tenant text, p_blob text, p_position int, p_last bool, p_bytes bytea)
  RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    INSERT INTO chunks (tenant_id, blob_id, position, is_last, bytes)
      VALUES (p_tenant, p_blob, p_position, p_last, p_bytes);
  END $$;

  CREATE FUNCTION get_chunk(p_tenant text, p_blob text, p_position int)
  RETURNS TABLE (is_last boolean, bytes bytea) LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    RETURN QUERY SELECT c.is_last, c.bytes FROM chunks c
      WHERE c.tenant_id = p_tenant AND c.blob_id = p_blob AND c.position = p_position;
  END $$;

  CREATE FUNCTION drop_blob(p_tenant text, p_blob text) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    DELETE FROM chunks WHERE tenant_id = p_tenant AND blob_id = p_blob;
  END $$;

  -- What nobody claimed, of every workspace.
  CREATE FUNCTION forget_chunks() RETURNS void LANGUAGE sql SECURITY DEFINER
  SET search_path = blobs, public AS $$
    DELETE FROM chunks WHERE created_at < now() - interval '1 hour'
  $$;
  GRANT SELECT, DELETE ON chunks TO ${lookup};
  CREATE POLICY lookup ON chunks TO ${lookup} USING (true);
  ALTER FUNCTION forget_chunks() OWNER TO ${lookup};
`;

const forgetInBatches = `
  DROP FUNCTION forget_chunks();
  -- Many processes ask, and a backlog may be large: each call takes some that nobody else has.
  CREATE FUNCTION forget_chunks() RETURNS bigint LANGUAGE sql SECURITY DEFINER
  SET search_path = blobs, public AS $$
    WITH unclaimed AS (
      SELECT tenant_id, blob_id, position FROM chunks
      WHERE created_at < now() - interval '1 hour'
      LIMIT 1000 FOR UPDATE SKIP LOCKED
    ), gone AS (
      DELETE FROM chunks USING unclaimed u
      WHERE (chunks.tenant_id, chunks.blob_id, chunks.position)
        = (u.tenant_id, u.blob_id, u.position)
      RETURNING 1
    ) SELECT count(*) FROM gone
  $$;
  -- A row that is locked is selected FOR UPDATE, which asks for that right too.
  GRANT UPDATE ON chunks TO ${lookup};
  ALTER FUNCTION forget_chunks() OWNER TO ${lookup};
`;

/** Bodies on their way (`decisions.md` §11): a schema and a role of its own, which every service has. */
export const blobsSchema: ServiceSchema<'blobs'> = {
  name: 'blobs',
  migrations: [Init1764060000000, ForgetInBatches1764250000000],
};
