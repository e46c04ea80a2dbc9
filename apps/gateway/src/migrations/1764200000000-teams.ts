import { tenantPolicy } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Teams: members of a workspace to whom a conversation is assigned together. */
export class Teams1764200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE teams (
        id text COLLATE "C" PRIMARY KEY,
        tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
        name text NOT NULL,
        -- The name as it is compared.
        name_key text COLLATE "C" NOT NULL,
        -- In the order given. A member who goes leaves them in the same commit.
        member_ids text[] COLLATE "C" NOT NULL,
        created_at timestamptz(3) NOT NULL,
        version integer NOT NULL DEFAULT 1,
        CONSTRAINT teams_name UNIQUE (tenant_id, name_key)
      );
      ${tenantPolicy('teams')}
    `);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
