import { lookupPolicy, tenantPolicy, type Migration } from '@postroom/persistence/provision';

/** Bytes of answers and events that changes have recorded, until they are in the counters of quotas. */
export const recordedBytes = (schema: string): Migration => ({
  name: '2026-11-27-recorded-bytes-operations',
  sql: `
  -- Each row is written in the commit of what it counts. There is no key and no index: writers never wait.
  CREATE TABLE recorded_bytes (
    tenant_id text COLLATE "C" NOT NULL,
    -- The key or member who has them recorded; empty where nobody asked for it.
    owner text COLLATE "C" NOT NULL DEFAULT '',
    at timestamptz(0) NOT NULL DEFAULT now(),
    -- For how long what was recorded is kept at most.
    days smallint NOT NULL DEFAULT 8,
    bytes integer NOT NULL
  );
  ${tenantPolicy('recorded_bytes')}
  ${lookupPolicy(schema, 'recorded_bytes', 'SELECT, INSERT, DELETE')}
  `,
});
