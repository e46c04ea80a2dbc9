import { lookupFunction, tenantPolicy } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Drafts, their files, and how many were begun. */
export class Drafts1764310000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(tables + reads);
    await runner.query(volumes);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}

const tables = `
  CREATE TABLE drafts (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C",
    in_reply_to text COLLATE "C",
    signature_id text COLLATE "C",
    recipients jsonb NOT NULL,
    cc jsonb NOT NULL,
    bcc jsonb NOT NULL,
    subject text NOT NULL,
    body text NOT NULL,
    created_by jsonb NOT NULL,
    source text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    version integer NOT NULL DEFAULT 1,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, mailbox_id) REFERENCES mailboxes,
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversations,
    FOREIGN KEY (tenant_id, in_reply_to) REFERENCES messages,
    -- A draft outlives its signature.
    FOREIGN KEY (tenant_id, signature_id) REFERENCES signatures ON DELETE SET NULL (signature_id)
  );
  CREATE INDEX drafts_list ON drafts (tenant_id, mailbox_id, updated_at DESC, id DESC);
  CREATE INDEX drafts_signature ON drafts (tenant_id, signature_id) WHERE signature_id IS NOT NULL;
  ${tenantPolicy('drafts')}

  CREATE TABLE draft_files (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    draft_id text COLLATE "C" NOT NULL,
    position integer NOT NULL,
    filename text,
    mime_type text NOT NULL,
    declared_mime_type text,
    size_bytes integer NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, draft_id) REFERENCES drafts ON DELETE CASCADE
  );
  CREATE INDEX draft_files_order ON draft_files (tenant_id, draft_id, position);
  ALTER TABLE draft_files ALTER COLUMN bytes SET STORAGE EXTERNAL;
  ${tenantPolicy('draft_files')}
`;

const reads = `
  -- Drafts of a mailbox, last changed first, after a place in that order: no more than p_bytes of
  -- them together, but one; with each whether there is another behind it.
  CREATE FUNCTION list_drafts(
    p_tenant text, p_mailbox text, p_after_at timestamptz, p_after_id text, p_limit integer,
    p_bytes integer)
  RETURNS TABLE (draft drafts, more boolean) LANGUAGE plpgsql STABLE AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    RETURN QUERY
      SELECT walk.d, walk.more FROM (
        SELECT found.d, row_number() OVER place AS place, lead(found.id) OVER place IS NOT NULL AS more,
          sum(found.bytes) OVER place AS bytes
        FROM (
          SELECT d, d.updated_at, d.id, octet_length(d.body) + octet_length(d.recipients::text)
            + octet_length(d.cc::text) + octet_length(d.bcc::text) AS bytes
          FROM drafts d
          WHERE d.tenant_id = p_tenant AND d.mailbox_id = (
              SELECT m.id FROM mailboxes m WHERE m.tenant_id = p_tenant AND m.address = p_mailbox)
            AND (d.updated_at, d.id) < (p_after_at, p_after_id)
          ORDER BY d.updated_at DESC, d.id DESC
          LIMIT p_limit + 1
        ) found
        WINDOW place AS (ORDER BY found.updated_at DESC, found.id DESC)
      ) walk
      WHERE walk.place <= p_limit AND (walk.place = 1 OR walk.bytes <= p_bytes)
      ORDER BY walk.place;
  END $$;

  -- The files of a draft as the API shows them, in order.
  CREATE FUNCTION draft_files_of(p_tenant text, p_draft text) RETURNS json
  LANGUAGE plpgsql STABLE AS $$
  BEGIN
    RETURN (
      SELECT coalesce(json_agg(json_build_object(
        'id', f.id, 'filename', f.filename, 'mimeType', f.mime_type,
        'declaredMimeType', f.declared_mime_type, 'size', f.size_bytes,
        'inline', false, 'contentId', NULL) ORDER BY f.position), '[]')
      FROM draft_files f WHERE f.tenant_id = p_tenant AND f.draft_id = p_draft);
  END $$;

  CREATE FUNCTION draft_file(p_tenant text, p_mailbox text, p_id text)
  RETURNS TABLE (filename text, mime_type text, bytes bytea) LANGUAGE plpgsql STABLE AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    RETURN QUERY
      SELECT f.filename, f.mime_type, f.bytes FROM draft_files f
      JOIN drafts d ON d.tenant_id = f.tenant_id AND d.id = f.draft_id
      JOIN mailboxes m ON m.tenant_id = d.tenant_id AND m.id = d.mailbox_id
      WHERE f.tenant_id = p_tenant AND f.id = p_id AND m.address = p_mailbox;
  END $$;
`;

const kinds = ['created', 'archived', 'reopened', 'received', 'sent', 'comments', 'drafts'];
const each = (write: (kind: string) => string): string => kinds.map(write).join(', ');

/** The functions of the volumes as they were, with one kind more. */
const volumes = `
  ALTER TABLE volume_deltas ADD COLUMN drafts smallint NOT NULL DEFAULT 0;
  ALTER TABLE volumes ADD COLUMN drafts integer NOT NULL DEFAULT 0;

  DROP FUNCTION fold_volumes();
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
  ${lookupFunction('mail', 'fold_volumes()')}

  DROP FUNCTION volumes_of(text, date, date, text);
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
`;
