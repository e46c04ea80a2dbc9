import type { QueryRunner } from 'typeorm';
import { byIndex, lookupFunction, visible } from './tables.js';

/** Where a schema's relays tell each other that more than one batch is waiting. */
export const outboxChannel = (schema: string): string => `postroom_outbox_${schema}`;

/**
 * What relays need to share an outbox, second version of the tables: every resource belongs to one of
 * sixteen lanes, a lane has at most one owner at a time, and each take-over raises the lane's token,
 * which fences off whoever had it before.
 */
export async function addOutboxLanes(runner: QueryRunner, schema: string): Promise<void> {
  await runner.query(lanes(schema) + claimOutbox(schema) + settleOutbox(schema));
}

/**
 * The hash is the one of hash partitioning, which PostgreSQL keeps between versions. The key is the
 * event's id: a change pays for as many indexes as before.
 */
const lanes = (schema: string): string => `
  ALTER TABLE outbox
    ADD COLUMN lane smallint NOT NULL GENERATED ALWAYS AS
      ((hashtextextended(tenant_id || '/' || resource, 0) & 15)::smallint) STORED,
    -- Why the bus never takes this event: it waits for an operator, its neighbours leave without it.
    ADD COLUMN refusal text,
    DROP CONSTRAINT outbox_pkey,
    DROP CONSTRAINT outbox_event_id_key,
    ADD PRIMARY KEY (event_id);
  CREATE INDEX outbox_waiting ON outbox (lane, position) WHERE refusal IS NULL;

  -- Of no tenant. Forced, without a policy of the service's own: it comes here by the functions only.
  CREATE TABLE outbox_lanes (
    lane smallint PRIMARY KEY,
    owner text,
    token bigint NOT NULL DEFAULT 0,
    -- When the lane was given back, or is anyone's again.
    free_at timestamptz NOT NULL DEFAULT now()
  ) WITH (fillfactor = 50);
  INSERT INTO outbox_lanes (lane) SELECT generate_series(0, 15);
  ALTER TABLE outbox_lanes ENABLE ROW LEVEL SECURITY;
  ALTER TABLE outbox_lanes FORCE ROW LEVEL SECURITY;
  ${visible(schema, 'outbox', 'SELECT, UPDATE, DELETE')}
  ${visible(schema, 'outbox_lanes', 'SELECT, UPDATE')}
`;

const claimSignature = 'claim_outbox(text, integer, integer, integer)';

const claimOutbox = (schema: string): string => `
  -- Leases free lanes that have events, those served longest ago first, and answers their oldest
  -- events: resources by their oldest event, a resource's by sequence, as many as it has among the
  -- lane's oldest, and no more once a lane's are 256 KiB: a relay holds them in memory. A lane that
  -- somebody emptied in this moment is answered without events; it has to be given back all the same.
  CREATE FUNCTION claim_outbox(p_owner text, p_lease_ms integer, p_lanes integer, p_rows integer)
  RETURNS TABLE (lane smallint, token bigint, event_id text, type text, tenant_id text,
    resource text, envelope text)
  LANGUAGE plpgsql AS $$
  DECLARE
    v_lanes smallint[];
  BEGIN
    v_lanes := ARRAY(
      SELECT l.lane FROM outbox_lanes l
      WHERE l.free_at <= now()
        AND EXISTS (SELECT FROM outbox o WHERE o.lane = l.lane AND o.refusal IS NULL)
      ORDER BY l.free_at, l.lane LIMIT p_lanes FOR UPDATE SKIP LOCKED);
    IF cardinality(v_lanes) = 0 THEN RETURN; END IF;
    UPDATE outbox_lanes l SET owner = p_owner, token = l.token + 1,
        free_at = clock_timestamp() + p_lease_ms * interval '1 ms'
      WHERE l.lane = ANY (v_lanes);
    -- A statement of its own: it sees what the lanes' last owners deleted before they gave them back.
    RETURN QUERY
      SELECT l.lane, l.token, e.event_id, e.type, e.tenant_id, e.resource, e.envelope
      FROM outbox_lanes l LEFT JOIN LATERAL (
        SELECT o.*, r.oldest,
          sum(octet_length(o.envelope)) OVER (ORDER BY r.oldest, o.sequence) AS bytes
        FROM (
          SELECT w.tenant_id, w.resource, min(w.position) AS oldest, count(*) AS rows FROM (
            SELECT o.tenant_id, o.resource, o.position FROM outbox o
            WHERE o.lane = l.lane AND o.refusal IS NULL ORDER BY o.position LIMIT p_rows) w
          GROUP BY w.tenant_id, w.resource) r
        CROSS JOIN LATERAL (
          SELECT * FROM outbox o
          WHERE o.tenant_id = r.tenant_id AND o.resource = r.resource AND o.refusal IS NULL
          ORDER BY o.sequence LIMIT r.rows) o) e
      ON e.bytes - octet_length(e.envelope) < 262144
      WHERE l.lane = ANY (v_lanes)
      ORDER BY l.lane, e.oldest, e.sequence;
  END $$;
  ${lookupFunction(schema, claimSignature)}
  ${byIndex(claimSignature)}
`;

const settleSignature = 'settle_outbox(smallint[], bigint[], text[], text[], text[], boolean)';

const settleOutbox = (schema: string): string => `
  -- Deletes what was published, keeps what was refused with its cause, and gives the lanes back: only
  -- in lanes whose token is still the one given. Answers how many those are.
  CREATE FUNCTION settle_outbox(p_lanes smallint[], p_tokens bigint[], p_published text[],
    p_refused text[], p_causes text[], p_more boolean)
  RETURNS integer LANGUAGE plpgsql AS $$
  DECLARE
    v_held smallint[];
  BEGIN
    v_held := ARRAY(
      SELECT l.lane FROM outbox_lanes l
      JOIN unnest(p_lanes, p_tokens) AS leased (lane, token)
        ON leased.lane = l.lane AND leased.token = l.token
      ORDER BY l.lane FOR UPDATE OF l);
    DELETE FROM outbox o WHERE o.event_id = ANY (p_published) AND o.lane = ANY (v_held);
    UPDATE outbox o SET refusal = refused.cause
      FROM unnest(p_refused, p_causes) AS refused (id, cause)
      WHERE o.event_id = refused.id AND o.lane = ANY (v_held);
    UPDATE outbox_lanes l SET owner = NULL, free_at = now() WHERE l.lane = ANY (v_held);
    IF p_more THEN PERFORM pg_notify('${outboxChannel(schema)}', ''); END IF;
    RETURN cardinality(v_held);
  END $$;
  ${lookupFunction(schema, settleSignature)}
  ${byIndex(settleSignature)}
`;
