import { functionsOnly } from '@postroom/persistence/provision';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What gateways tell each other of the requests that they have let through. */
export class ToldRequestsAccess1795670000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE told_requests (
        instance text COLLATE "C" NOT NULL,
        -- Counts what an instance tells.
        number integer NOT NULL,
        -- By caller and limit family, how many requests since the number before.
        counts jsonb NOT NULL,
        told_at timestamptz NOT NULL,
        PRIMARY KEY (instance, number)
      );
      CREATE INDEX told_requests_age ON told_requests (told_at);
      ${functionsOnly('access', 'told_requests', 'SELECT, INSERT, DELETE')}
    `);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
