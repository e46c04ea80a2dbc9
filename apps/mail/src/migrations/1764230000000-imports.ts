import { tenantPolicy } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Imports of mail, and what tells them that a message without a Message-ID is here already. */
export class Imports1764230000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(imports);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}

const imports = `
  CREATE TABLE imports (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'failed')),
    bytes_read bigint NOT NULL DEFAULT 0,
    imported integer NOT NULL DEFAULT 0,
    duplicates integer NOT NULL DEFAULT 0,
    unparsed integer NOT NULL DEFAULT 0,
    started_at timestamptz(3) NOT NULL,
    -- The last sign of life: one that stopped giving any has failed, whoever ran it.
    progressed_at timestamptz(3) NOT NULL,
    finished_at timestamptz(3),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, mailbox_id) REFERENCES mailboxes
  );
  CREATE INDEX imports_of_mailbox ON imports (tenant_id, mailbox_id, id DESC);
  ${tenantPolicy('imports')}

  CREATE INDEX messages_nameless ON messages (tenant_id, mailbox_id, content_fingerprint)
    WHERE direction = 'inbound' AND message_id IS NULL;

  CREATE FUNCTION mailbox_imports(p_tenant text, p_mailbox text, p_limit integer)
  RETURNS SETOF imports LANGUAGE plpgsql STABLE AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    RETURN QUERY
      SELECT i.* FROM imports i WHERE i.tenant_id = p_tenant AND i.mailbox_id = p_mailbox
      ORDER BY i.id DESC LIMIT p_limit;
  END $$;

  CREATE FUNCTION mailbox_known(p_tenant text, p_mailbox text) RETURNS boolean
  LANGUAGE plpgsql STABLE AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    RETURN EXISTS (SELECT FROM mailboxes m WHERE m.tenant_id = p_tenant AND m.id = p_mailbox);
  END $$;

  -- The bytes of the message an attachment belongs to, and its place among that message's.
  CREATE FUNCTION attachment_source(p_tenant text, p_mailbox text, p_id text)
  RETURNS TABLE (filename text, mime_type text, place integer, raw bytea)
  LANGUAGE plpgsql STABLE AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    RETURN QUERY
      SELECT a.filename, a.mime_type, a.position, r.raw FROM attachments a
      JOIN messages g ON g.tenant_id = a.tenant_id AND g.id = a.message
      JOIN mailboxes m ON m.tenant_id = g.tenant_id AND m.id = g.mailbox_id
      JOIN raw_messages r ON r.tenant_id = a.tenant_id AND r.message = a.message
      WHERE a.tenant_id = p_tenant AND a.id = p_id AND m.address = p_mailbox;
  END $$;
`;
