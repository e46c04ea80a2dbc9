import { lookupFunction } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A sign-in ends the session that it came with, of whatever workspace that was. */
export class ReplacedSessions1764300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION end_session(p_id text) RETURNS void LANGUAGE sql AS $$
        DELETE FROM sessions WHERE id = p_id
      $$;
      ${lookupFunction('access', 'end_session(text)')}
    `);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
