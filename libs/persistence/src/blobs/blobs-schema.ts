import {
  lookupPolicy,
  type Migration,
  type ServiceSchema,
  tenantPolicy,
} from '../provision/service-schema.js';

const init: Migration = {
  name: '2026-11-28-init-blobs',
  sql: `
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
    -- The bytes are compressed already, or not worth it.
    ALTER TABLE chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;
    CREATE INDEX chunks_age ON chunks (created_at);
    ${tenantPolicy('chunks')}
    -- SELECT ... FOR UPDATE needs the right to update.
    ${lookupPolicy('blobs', 'chunks', 'SELECT, UPDATE, DELETE')}
  `,
};

/** Bodies on their way (`decisions.md` §11): a schema and a role of its own, which every service has. */
export const blobsSchema: ServiceSchema<'blobs'> = {
  name: 'blobs',
  migrations: [init],
  sql: [new URL('../../src/blobs/', import.meta.url)],
};
