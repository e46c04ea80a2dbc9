import {
  functionsOnly,
  lookupPolicy,
  lookupRole,
  tenantPolicy,
  type Migration,
} from '@postroom/persistence/provision';

/**
 * The tables of the engine: recorded replies (redeliveries and Idempotency-Keys), the outbox with its shards and
 * what it has published, the inbox, audit records that wait to be sealed, volumes, counters of quotas, the bytes
 * that are still to be counted, locks, and the clocks of sandboxes.
 */
export const init = (schema: string): Migration => ({
  name: '2026-11-28-init-operations',
  sql:
    replies(schema) +
    outbox(schema) +
    publishedEvents(schema) +
    inbox(schema) +
    auditRecords(schema) +
    volumes(schema) +
    quotaCounters(schema) +
    recordedBytes(schema) +
    heldLocks(schema) +
    clocks(schema),
});

const replies = (schema: string): string => `
  -- The reply of a write, under the message's id or the caller's Idempotency-Key.
  CREATE TABLE replies (
    tenant_id text COLLATE "C" NOT NULL,
    dedupe_key text COLLATE "C" NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    fingerprint text COLLATE "C" NOT NULL,
    status smallint,
    body text,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, dedupe_key)
  );
  CREATE INDEX replies_expiry ON replies (expires_at);
  ${tenantPolicy('replies')}
  ${lookupPolicy(schema, 'replies', 'SELECT, DELETE')}
`;

/**
 * Relays share an outbox: every resource belongs to one of sixteen shards, a shard has at most one owner
 * at a time, and each lease raises the shard's token, which fences off the owner before.
 */
const outbox = (schema: string): string => `
  CREATE TABLE outbox (
    position bigint GENERATED ALWAYS AS IDENTITY,
    tenant_id text COLLATE "C" NOT NULL,
    -- The key: a change pays for as few indexes as possible.
    event_id text COLLATE "C" PRIMARY KEY,
    type text NOT NULL,
    resource text COLLATE "C" NOT NULL,
    sequence bigint NOT NULL,
    envelope text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- The hash is the one of hash partitioning, which PostgreSQL keeps between versions.
    shard smallint NOT NULL GENERATED ALWAYS AS
      ((hashtextextended(tenant_id || '/' || resource, 0) & 15)::smallint) STORED,
    -- The reason why the bus will never take this event: it is parked for an operator.
    refusal text,
    -- W3C trace context; null without a trace. It is not kept once the event is published.
    traceparent text,
    UNIQUE (tenant_id, resource, sequence)
  );
  CREATE INDEX outbox_waiting ON outbox (shard, position) WHERE refusal IS NULL;
  ${tenantPolicy('outbox')}
  ${lookupPolicy(schema, 'outbox', 'SELECT, INSERT, UPDATE, DELETE')}

  CREATE TABLE outbox_shards (
    shard smallint PRIMARY KEY,
    owner text,
    token bigint NOT NULL DEFAULT 0,
    -- The time of the shard's release, or the end of its lease.
    free_at timestamptz NOT NULL DEFAULT now()
  ) WITH (fillfactor = 50);
  INSERT INTO outbox_shards (shard) SELECT generate_series(0, 15);
  ${functionsOnly(schema, 'outbox_shards', 'SELECT, UPDATE')}
`;

/** Slots of the ring of published events, as many days as they are kept and the one that is emptied. */
const publishedSlots = 10;

/**
 * Published rows of the outbox are kept here for 7 days (`decisions.md` §11), in a ring of partitions, one a day,
 * each emptied as a whole. Its index is of sandboxes alone: of others only an operator's commands read it.
 */
const publishedEvents = (schema: string): string => `
  CREATE TABLE published_events (
    slot smallint NOT NULL,
    tenant_id text COLLATE "C" NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    type text NOT NULL,
    resource text COLLATE "C" NOT NULL,
    sequence bigint NOT NULL,
    envelope text NOT NULL,
    created_at timestamptz NOT NULL,
    published_at timestamptz NOT NULL DEFAULT now()
  ) PARTITION BY LIST (slot);
  CREATE INDEX published_of_sandboxes ON published_events (tenant_id, published_at)
    WHERE left(tenant_id, 5) = 'ten_7';
  ${tenantPolicy('published_events')}
  ${lookupPolicy(schema, 'published_events', 'SELECT, INSERT, DELETE')}
  ${Array.from({ length: publishedSlots }, (_, slot) => publishedSlot(schema, slot)).join('')}
`;

const publishedSlot = (schema: string, slot: number): string => `
  CREATE TABLE published_events_${slot} PARTITION OF published_events FOR VALUES IN (${slot});
  ${tenantPolicy(`published_events_${slot}`)}
  ${lookupPolicy(schema, `published_events_${slot}`, 'SELECT, TRUNCATE')}
`;

const inbox = (schema: string): string => `
  -- Events that have had their effect, by consumer.
  CREATE TABLE inbox (
    tenant_id text COLLATE "C" NOT NULL,
    consumer text COLLATE "C" NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    consumed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, consumer, event_id)
  );
  CREATE INDEX inbox_age ON inbox (consumed_at);
  ${tenantPolicy('inbox')}
  ${lookupPolicy(schema, 'inbox', 'SELECT, DELETE')}
`;

const auditRecords = (schema: string): string => `
  -- A queue: a record is taken out of it once, by tenant and oldest first, so one index is enough.
  CREATE TABLE audit_records (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL,
    actor_type text NOT NULL,
    actor_id text COLLATE "C",
    source text NOT NULL,
    action text NOT NULL,
    subject_id text COLLATE "C",
    request_id text,
    -- The member who approved an agent's write.
    approved_by text COLLATE "C",
    duration_ms integer,
    PRIMARY KEY (tenant_id, id)
  );
  ${tenantPolicy('audit_records')}
  ${lookupPolicy(schema, 'audit_records', 'SELECT, DELETE')}

  -- Numbers the internal events that carry audit records to the sealer.
  CREATE SEQUENCE audit_event_numbers;
  GRANT USAGE ON SEQUENCE audit_event_numbers TO ${lookupRole(schema)};
`;

const volumes = (schema: string): string => `
  -- Changes that are not in the counters yet, each written in the commit of what it counts. Nothing is looked up
  -- here, so there is no key and no index, and writers never wait for each other.
  CREATE TABLE volume_deltas (
    tenant_id text COLLATE "C" NOT NULL,
    at timestamptz(3) NOT NULL,
    -- A name of volumeKinds in the contracts.
    kind text COLLATE "C" NOT NULL,
    -- The kind's further dimension, such as a mailbox's address; empty if it has none.
    scope text COLLATE "C" NOT NULL DEFAULT '',
    amount integer NOT NULL DEFAULT 1
  );
  ${tenantPolicy('volume_deltas')}
  ${lookupPolicy(schema, 'volume_deltas', 'SELECT, DELETE')}

  -- Counted by quarter of an hour, since a day in any time zone consists of whole ones: also in one that is 5:45
  -- ahead, on days when clocks change, and after a workspace has moved to another zone.
  CREATE TABLE volumes (
    tenant_id text COLLATE "C" NOT NULL,
    quarter timestamptz(0) NOT NULL,
    kind text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL,
    amount bigint NOT NULL,
    PRIMARY KEY (tenant_id, quarter, kind, scope)
  ) WITH (fillfactor = 70);
  ${tenantPolicy('volumes')}
  ${lookupPolicy(schema, 'volumes', 'SELECT, INSERT, UPDATE')}
`;

const quotaCounters = (schema: string): string => `
  -- The amount of a quota is the sum of its slots: concurrent changes use different slots, so that none waits for
  -- another's commit.
  CREATE TABLE quota_counters (
    tenant_id text COLLATE "C" NOT NULL,
    -- A name of Quotas in the contracts.
    quota text COLLATE "C" NOT NULL,
    -- The day (UTC) of a daily quota; '-infinity' for a quota of what is stored.
    day date NOT NULL DEFAULT '-infinity',
    slot uuid NOT NULL DEFAULT gen_random_uuid(),
    amount bigint NOT NULL,
    PRIMARY KEY (tenant_id, quota, day, slot)
  ) WITH (fillfactor = 50);
  ${tenantPolicy('quota_counters')}
  ${lookupPolicy(schema, 'quota_counters', 'SELECT, INSERT, UPDATE, DELETE')}
`;

const recordedBytes = (schema: string): string => `
  -- Bytes of answers and events that changes have recorded, until they are in the counters of quotas.
  -- Each row is written in the commit of what it counts. There is no key and no index: writers never wait.
  CREATE TABLE recorded_bytes (
    tenant_id text COLLATE "C" NOT NULL,
    -- The key or member whose call recorded them; empty without a caller.
    owner text COLLATE "C" NOT NULL DEFAULT '',
    at timestamptz(0) NOT NULL DEFAULT now(),
    -- For how long what was recorded is kept at most.
    days smallint NOT NULL DEFAULT 8,
    bytes integer NOT NULL
  );
  ${tenantPolicy('recorded_bytes')}
  ${lookupPolicy(schema, 'recorded_bytes', 'SELECT, INSERT, DELETE')}
`;

const heldLocks = (schema: string): string => `
  -- Locks by the hash of their name. Nothing of them outlives a transaction, so nothing is logged.
  CREATE UNLOGGED TABLE held_locks (name bytea PRIMARY KEY);
  ${functionsOnly(schema, 'held_locks', 'SELECT, INSERT, UPDATE, DELETE')}
`;

const clocks = (schema: string): string => `
  -- The lead of a sandbox's clock over the real one; no row: none.
  CREATE TABLE clocks (
    tenant_id text COLLATE "C" PRIMARY KEY,
    ahead_ms bigint NOT NULL DEFAULT 0
  );
  ${tenantPolicy('clocks')}
  ${lookupPolicy(schema, 'clocks')}

  -- The time of a sandbox is the real one and what it is ahead; that of others is the real one, and costs no look at a
  -- table. Here, since functions of any file may be made of these.
  CREATE FUNCTION clock_ahead(p_tenant text) RETURNS interval LANGUAGE sql STABLE
  SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT coalesce((SELECT c.ahead_ms FROM clocks c WHERE c.tenant_id = p_tenant), 0) * interval '1 ms'
  $$;

  -- The lead of a workspace over the real time.
  CREATE FUNCTION ahead_of(p_tenant text) RETURNS interval LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN left(p_tenant, 5) = 'ten_7' THEN clock_ahead(p_tenant) ELSE interval '0' END
  $$;

  CREATE FUNCTION workspace_now(p_tenant text) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT now() + ahead_of(p_tenant)
  $$;
`;
