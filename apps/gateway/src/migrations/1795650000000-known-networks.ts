import { functionsOnly } from '@postroom/persistence/provision';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** From where members sign in: attempts of strangers elsewhere do not keep them out. */
export class KnownNetworksAccess1795650000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- By a hash of an account and of the network that a sign-in to it came from.
      CREATE TABLE known_networks (
        name text COLLATE "C" PRIMARY KEY,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX known_networks_expiry ON known_networks (expires_at);
      ${functionsOnly('access', 'known_networks', 'SELECT, INSERT, UPDATE, DELETE')}
    `);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
