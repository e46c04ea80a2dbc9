import { sealedColumn } from '@postroom/operations';
import {
  lookupPolicy,
  lookupRole,
  tenantPolicy,
  type Migration,
} from '@postroom/persistence/provision';
import { subscriptionSeals } from '../webhook-secrets.js';

const ring = (table: string, slots: number, storage = ''): string =>
  Array.from({ length: slots }, (_, slot) => {
    const name = `${table}_${slot}`;
    return `
      CREATE TABLE ${name} PARTITION OF ${table} FOR VALUES IN (${slot})${storage};
      ${tenantPolicy(name)}
      ${lookupPolicy('webhooks', name, 'SELECT, TRUNCATE')}`;
  }).join('');

const subscriptions = `
  CREATE TABLE subscriptions (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    url text NOT NULL,
    -- Empty: every type.
    events text[] NOT NULL,
    description text NOT NULL,
    status text NOT NULL CHECK (status IN ('active', 'paused', 'disabled')),
    disabled_reason text,
    -- Sealed with the keyring; the two before the last rotations sign too until their time is up.
    sealed_secret text NOT NULL,
    sealed_previous text,
    previous_until timestamptz(3),
    sealed_oldest text,
    oldest_until timestamptz(3),
    -- Deliveries from before are not made: the subscription was disabled since.
    active_since timestamptz NOT NULL,
    -- The first failure since the last success.
    failing_since timestamptz,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    version integer NOT NULL DEFAULT 1,
    -- The rest of those that the agent of a key has over MCP. The key's rights are asked for at each attempt.
    key_id text COLLATE "C",
    -- In lower case; null: any.
    mailbox text,
    -- Nothing is recorded or delivered after it.
    expires_at timestamptz,
    -- The last event before those that were to be delivered when it was refreshed; null: none.
    cursor_event text COLLATE "C",
    PRIMARY KEY (tenant_id, id)
  );
  ${tenantPolicy('subscriptions')}
  ${lookupPolicy('webhooks', 'subscriptions', 'SELECT, DELETE, UPDATE (failing_since)')}
  ${Object.values(subscriptionSeals)
    .map((column) => sealedColumn('webhooks', column))
    .join('')}

  -- Numbers the test events of a workspace.
  CREATE TABLE test_counters (
    tenant_id text COLLATE "C" PRIMARY KEY,
    sequence bigint NOT NULL
  );
  ${tenantPolicy('test_counters')}
`;

const feed = `
  -- The end of a workspace's feed. Its row is the lock under which events are recorded, so that they
  -- are committed in the order of their positions, and chains of deliveries are lengthened.
  CREATE TABLE feeds (
    tenant_id text COLLATE "C" PRIMARY KEY,
    position bigint NOT NULL
  ) WITH (fillfactor = 50);
  ${tenantPolicy('feeds')}
  ${lookupPolicy('webhooks', 'feeds', 'SELECT, INSERT, UPDATE')}

  CREATE TABLE events (
    -- The slot of the day that the event's id names: the same event meets its own row again.
    day smallint NOT NULL,
    tenant_id text COLLATE "C" NOT NULL,
    position bigint NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    type text NOT NULL,
    resource text COLLATE "C" NOT NULL,
    sequence bigint NOT NULL,
    -- The mailbox of what it happened to, which a key must have been granted.
    mailbox text COLLATE "C",
    envelope text NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    -- The trace of the request behind it, until it is delivered.
    traceparent text,
    PRIMARY KEY (day, event_id)
  ) PARTITION BY LIST (day);
  CREATE INDEX events_feed ON events (tenant_id, position);
  ${tenantPolicy('events')}
  ${lookupPolicy('webhooks', 'events', 'SELECT, INSERT')}
  ${ring('events', 16)}
`;

/** For rows that are changed after they were written, in columns of no index. */
const room = ' WITH (fillfactor = 60)';

const deliveries = `
  CREATE SEQUENCE delivery_leases;
  GRANT USAGE ON SEQUENCE delivery_leases TO ${lookupRole('webhooks')};

  -- History and queue in one. A delivery is claimed when it is pending, not held, and due.
  CREATE TABLE deliveries (
    -- The slot of the week that the event's id names, and of its day.
    week smallint NOT NULL,
    day smallint NOT NULL,
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    subscription_id text COLLATE "C" NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    redelivery integer NOT NULL DEFAULT 0,
    -- The event's type under the name that the subscription asks for.
    name text NOT NULL,
    resource text COLLATE "C" NOT NULL,
    position bigint NOT NULL,
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'succeeded', 'failed')),
    attempts smallint NOT NULL DEFAULT 0 CHECK (attempts <= 4),
    -- The first attempt has not ended, and the next event of the resource waits for that.
    first_open boolean NOT NULL,
    -- Waits for the first attempt of the event of the same resource before it.
    held boolean NOT NULL,
    next_at timestamptz NOT NULL,
    -- The lease of the attempt under way: fences off an earlier worker.
    lease bigint,
    created_at timestamptz(3) NOT NULL,
    -- When it began. No index has a column of a claim: with room in the page it costs no new entries.
    leased_at timestamptz,
    PRIMARY KEY (week, event_id, subscription_id, redelivery)
  ) PARTITION BY LIST (week);
  CREATE INDEX deliveries_due ON deliveries (tenant_id, subscription_id, next_at)
    WHERE status = 'pending' AND NOT held;
  CREATE INDEX deliveries_chain ON deliveries (tenant_id, subscription_id, resource, position)
    WHERE first_open;
  -- The first position that is still to be delivered, for the cursor of an agent.
  CREATE INDEX deliveries_pending ON deliveries (tenant_id, subscription_id, position)
    WHERE status = 'pending';
  CREATE INDEX deliveries_history ON deliveries (tenant_id, subscription_id, id);
  ${tenantPolicy('deliveries')}
  ${lookupPolicy('webhooks', 'deliveries', 'SELECT, INSERT, UPDATE')}
  ${ring('deliveries', 10, room)}

  -- Attempts that have ended; one under way is counted and dated by its delivery.
  CREATE TABLE attempts (
    week smallint NOT NULL,
    tenant_id text COLLATE "C" NOT NULL,
    delivery_id text COLLATE "C" NOT NULL,
    number smallint NOT NULL,
    at timestamptz(3) NOT NULL,
    duration_ms integer,
    status smallint,
    error text,
    excerpt text,
    -- As they were sent.
    headers json,
    PRIMARY KEY (week, delivery_id, number)
  ) PARTITION BY LIST (week);
  ${tenantPolicy('attempts')}
  ${lookupPolicy('webhooks', 'attempts', 'SELECT, INSERT')}
  ${ring('attempts', 10)}
`;

/** Schema `webhooks`: subscriptions, the event feed, deliveries and their attempts. */
export const init: Migration = {
  name: '2026-11-28-init-webhooks',
  sql: subscriptions + feed + deliveries,
};
