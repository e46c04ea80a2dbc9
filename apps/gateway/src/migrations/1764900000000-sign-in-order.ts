import { lookupFunction } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Attempts to sign in are locked in one order, whatever the database's collation. */
export class SignInOrder1764900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(beginSignIn);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}

/** As it was, but for the order: that of the column, in which `pass_sign_in` has them. */
const beginSignIn = `
  CREATE OR REPLACE FUNCTION begin_sign_in(p_names text[], p_limits integer[])
  RETURNS TABLE (began timestamptz, wait_seconds float8) LANGUAGE plpgsql AS $$
  DECLARE
    v_wait float8 := sign_in_wait(p_names, p_limits, clock_timestamp());
    v_now timestamptz;
  BEGIN
    IF v_wait IS NULL THEN
      -- In one order, so that two who share a name never wait for each other.
      INSERT INTO sign_in_attempts AS a (name, times, expires_at)
        SELECT n.name, '{}', now() + interval '1 minute' FROM unnest(p_names) AS n (name)
        ORDER BY n.name COLLATE "C"
        ON CONFLICT (name) DO UPDATE SET expires_at = excluded.expires_at;
      v_now := clock_timestamp();
      v_wait := sign_in_wait(p_names, p_limits, v_now);
    END IF;
    IF v_wait IS NULL THEN
      UPDATE sign_in_attempts a SET expires_at = v_now + interval '1 minute', times = ARRAY(
          SELECT t FROM unnest(a.times || v_now) t WHERE t > v_now - interval '1 minute' ORDER BY t)
        WHERE a.name = ANY (p_names);
    END IF;
    RETURN QUERY SELECT v_now, v_wait;
  END $$;
  ${lookupFunction('access', 'begin_sign_in(text[], integer[])')}
`;
