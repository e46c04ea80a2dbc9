import { tenantPolicy } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Signatures of a workspace. */
export class Signatures1764240000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(tables);
    await runner.query(reads);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}

const tables = `
  CREATE TABLE signatures (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    -- Null: for any mailbox.
    mailbox_id text COLLATE "C",
    name text NOT NULL,
    html text NOT NULL,
    text text NOT NULL,
    -- The text is a reading of the HTML, and is read again when that changes.
    text_derived boolean NOT NULL,
    is_default boolean NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    version integer NOT NULL DEFAULT 1,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, mailbox_id) REFERENCES mailboxes
  );
  CREATE UNIQUE INDEX signatures_default ON signatures (tenant_id, coalesce(mailbox_id, ''))
    WHERE is_default;
  ${tenantPolicy('signatures')}
`;

const reads = `
  -- The signatures for any mailbox, and for those within reach: of these addresses (a key), those
  -- shared with this member, or, with neither, all.
  CREATE FUNCTION signatures_within(p_tenant text, p_addresses text[], p_member text)
  RETURNS TABLE (signature signatures, mailbox text) LANGUAGE plpgsql STABLE AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    RETURN QUERY
      SELECT s, m.address FROM signatures s
      LEFT JOIN mailboxes m ON m.tenant_id = s.tenant_id AND m.id = s.mailbox_id
      WHERE s.tenant_id = p_tenant AND (
        m.id IS NULL
        OR (p_addresses IS NULL OR m.address = ANY (p_addresses))
        AND (p_member IS NULL OR m.access ?| ARRAY['workspace', p_member]))
      ORDER BY lower(s.name), s.id;
  END $$;
`;
