import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A token that overrides a warning is free again with the key of a send that did not leave (docs/adr/0026). */
export class WarningsGivenBack1764400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(warnings);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}

const warnings = `
  -- The token of the reservation that has it; what has left keeps it until it is forgotten.
  ALTER TABLE dlp_warnings ADD COLUMN taken_by text COLLATE "C";

  CREATE FUNCTION give_back_warning(p_tenant text, p_reservation text) RETURNS void
  LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    UPDATE dlp_warnings w SET taken_by = NULL
      WHERE w.tenant_id = p_tenant AND w.taken_by = p_reservation;
  END $$;
`;
