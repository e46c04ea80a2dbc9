import { lookupPolicy, tenantPolicy } from '@postroom/persistence/provision';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Domains belong to a workspace. Those of the mailboxes that are there are given to the workspace whose
 * mailbox is the oldest; an address is one workspace's by its domain, no longer by itself.
 */
export class Domains1795650000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE domains (
        tenant_id text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        -- As the name system spells it: lower case, in ASCII.
        name text COLLATE "C" NOT NULL,
        -- What the record that proves it has to say.
        token text NOT NULL,
        -- Null: neither proved nor given.
        verified_at timestamptz(3),
        created_at timestamptz(3) NOT NULL,
        version integer NOT NULL DEFAULT 1,
        PRIMARY KEY (tenant_id, id),
        CONSTRAINT domains_name UNIQUE (tenant_id, name)
      );
      CREATE UNIQUE INDEX domains_verified ON domains (name) WHERE verified_at IS NOT NULL;

      -- An owner that is no superuser sees no row under forced policies.
      ALTER TABLE mailboxes NO FORCE ROW LEVEL SECURITY;
      INSERT INTO domains (tenant_id, id, name, token, verified_at, created_at)
        SELECT DISTINCT ON (split_part(m.routing_address, '@', 2)) m.tenant_id,
          'dom_0' || upper(left(replace(gen_random_uuid()::text, '-', ''), 25)),
          split_part(m.routing_address, '@', 2), replace(gen_random_uuid()::text, '-', ''), now(), now()
        FROM mailboxes m
        ORDER BY split_part(m.routing_address, '@', 2), m.created_at, m.id;
      ALTER TABLE mailboxes FORCE ROW LEVEL SECURITY;
      ${tenantPolicy('domains')}
      ${lookupPolicy('mail', 'domains', 'SELECT (tenant_id, name, verified_at)')}

      ALTER TABLE mailboxes DROP CONSTRAINT mailboxes_address,
        ADD CONSTRAINT mailboxes_address UNIQUE (tenant_id, routing_address);
    `);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
