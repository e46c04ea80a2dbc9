import { tenantPolicy } from '@postroom/persistence/provision';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the directory has told of contacts, so that conversations can show whose they are. */
export class MailContacts1795520000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE known_books (
        tenant_id text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        is_shared boolean NOT NULL,
        -- Who may read it, where it is not shared.
        member_ids text[] NOT NULL,
        is_deleted boolean NOT NULL,
        PRIMARY KEY (tenant_id, id)
      );
      ${tenantPolicy('known_books')}

      CREATE TABLE known_contacts (
        tenant_id text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        book_id text COLLATE "C" NOT NULL,
        name text NOT NULL,
        -- As addresses are compared; none of one that is gone.
        addresses text[] COLLATE "C" NOT NULL,
        -- Number of its last event that was learnt, and when what is known of it happened.
        sequence bigint NOT NULL,
        as_of timestamptz(3) NOT NULL,
        -- It was deleted, or merged into another.
        is_gone boolean NOT NULL,
        PRIMARY KEY (tenant_id, id)
      );
      ${tenantPolicy('known_contacts')}

      CREATE TABLE known_addresses (
        tenant_id text COLLATE "C" NOT NULL,
        address text COLLATE "C" NOT NULL,
        contact_id text COLLATE "C" NOT NULL,
        PRIMARY KEY (tenant_id, address, contact_id),
        FOREIGN KEY (tenant_id, contact_id) REFERENCES known_contacts ON DELETE CASCADE
      );
      CREATE INDEX known_addresses_of ON known_addresses (tenant_id, contact_id);
      ${tenantPolicy('known_addresses')}
    `);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
