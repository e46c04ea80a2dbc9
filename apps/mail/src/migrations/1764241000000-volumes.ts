import { lookupFunction, tenantPolicy, visible } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What there was of what, for analytics. */
export class Volumes1764241000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(tables);
    await runner.query(folding);
    await runner.query(reads);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}

const kinds = ['created', 'archived', 'reopened', 'received', 'sent', 'comments'];
const each = (write: (kind: string) => string): string => kinds.map(write).join(', ');

const tables = `
  -- What has happened and is not in the counters yet: a row an event, written with it. Nothing is
  -- looked up here, so there is no key and no index to keep: writers never wait for each other.
  CREATE TABLE volume_deltas (
    tenant_id text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    at timestamptz(3) NOT NULL,
    ${each((kind) => `${kind} smallint NOT NULL DEFAULT 0`)}
  );
  ${tenantPolicy('volume_deltas')}

  -- By quarter of an hour: a day of any time zone is made of whole ones, also of one that is 5:45
  -- ahead, on the days that clocks change, and after a workspace has moved to another zone.
  CREATE TABLE volumes (
    tenant_id text COLLATE "C" NOT NULL,
    quarter timestamptz(0) NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    ${each((kind) => `${kind} integer NOT NULL`)},
    PRIMARY KEY (tenant_id, quarter, mailbox_id)
  ) WITH (fillfactor = 70);
  ${tenantPolicy('volumes')}

  CREATE INDEX conversations_open ON conversations (tenant_id)
    WHERE placement = 'inbox' AND status = 'open';
`;

const folding = `
  -- Moves what has happened into the counters, of every tenant, a batch at a time, in one statement:
  -- a reader sees it in one place or the other, whatever happens meanwhile. One call at a time: the
  -- others have nothing to do.
  CREATE FUNCTION fold_volumes() RETURNS bigint LANGUAGE plpgsql AS $$
  DECLARE
    v_folded bigint;
  BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('mail.fold_volumes', 0)) THEN
      RETURN 0;
    END IF;
    WITH taken AS (
      DELETE FROM volume_deltas
      WHERE ctid = ANY (ARRAY(SELECT d.ctid FROM volume_deltas d LIMIT 10000))
      RETURNING *
    ), counted AS (
      INSERT INTO volumes AS v (tenant_id, quarter, mailbox_id, ${each((kind) => kind)})
      SELECT t.tenant_id, date_bin('15 minutes', t.at, 'epoch'), t.mailbox_id,
        ${each((kind) => `sum(t.${kind})`)}
      FROM taken t GROUP BY 1, 2, 3
      ON CONFLICT (tenant_id, quarter, mailbox_id)
        DO UPDATE SET ${each((kind) => `${kind} = v.${kind} + excluded.${kind}`)}
    )
    SELECT count(*) INTO v_folded FROM taken;
    RETURN v_folded;
  END $$;
  ${visible('mail', 'volume_deltas', 'SELECT, DELETE')}
  ${visible('mail', 'volumes', 'SELECT, INSERT, UPDATE')}
  ${lookupFunction('mail', 'fold_volumes()')}
`;

const reads = `
  -- Volumes of the days p_from to p_to in a time zone, counters and what is not in them yet: by day,
  -- by mailbox, and altogether (both null). A time belongs to the day that the zone's clocks show
  -- then, so that no day is counted twice or left out when they change.
  CREATE FUNCTION volumes_of(p_tenant text, p_from date, p_to date, p_zone text)
  RETURNS TABLE (day date, mailbox text, ${each((kind) => `${kind} bigint`)})
  LANGUAGE plpgsql STABLE AS $$
  DECLARE
    -- No zone is a whole day away from UTC.
    v_since timestamptz := (p_from - 1)::timestamp AT TIME ZONE 'UTC';
    v_until timestamptz := (p_to + 2)::timestamp AT TIME ZONE 'UTC';
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    RETURN QUERY
      SELECT here.day, m.address, ${each((kind) => `sum(here.${kind})::bigint`)}
      FROM (
        SELECT (v.quarter AT TIME ZONE p_zone)::date AS day, v.mailbox_id,
          ${each((kind) => `v.${kind}`)}
        FROM volumes v
        WHERE v.tenant_id = p_tenant AND v.quarter >= v_since AND v.quarter < v_until
        UNION ALL
        SELECT (d.at AT TIME ZONE p_zone)::date, d.mailbox_id, ${each((kind) => `d.${kind}`)}
        FROM volume_deltas d
        WHERE d.tenant_id = p_tenant AND d.at >= v_since AND d.at < v_until
      ) here
      JOIN mailboxes m ON m.tenant_id = p_tenant AND m.id = here.mailbox_id
      WHERE here.day BETWEEN p_from AND p_to
      GROUP BY GROUPING SETS ((here.day), (m.address), ());
  END $$;

  CREATE FUNCTION count_open_conversations(p_tenant text) RETURNS bigint
  LANGUAGE plpgsql STABLE AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    RETURN (
      SELECT count(*) FROM conversations c
      WHERE c.tenant_id = p_tenant AND c.placement = 'inbox' AND c.status = 'open');
  END $$;
`;
