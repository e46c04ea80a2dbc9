import type { QuotaName } from '@postroom/contracts';
import type { MadeFile } from '@postroom/persistence/provision';

/** Rows that count for a quota while they are there. */
export interface CountedRows {
  readonly table: string;
  readonly quota: QuotaName;
  /** The columns whose bytes are counted, instead of the rows. */
  readonly bytesOf?: readonly string[];
}

/** The triggers that count the rows of a schema, for its `made`. */
export const countedRows = (all: readonly CountedRows[]): MadeFile => ({
  path: 'operations/counted-rows.sql',
  text: all.map(trigger).join(''),
});

// Row by row: a transition table would copy bytes that a row has elsewhere.
function trigger({ table, quota, bytesOf }: CountedRows): string {
  const amount = (row: string): string =>
    bytesOf?.map((column) => `octet_length(${row}.${column})`).join(' + ') ?? '1';
  return `
CREATE OR REPLACE FUNCTION count_${table}() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM add_to_quota(coalesce(NEW.tenant_id, OLD.tenant_id), '${quota}',
    CASE TG_OP WHEN 'DELETE' THEN 0 ELSE ${amount('NEW')} END
    - CASE TG_OP WHEN 'INSERT' THEN 0 ELSE ${amount('OLD')} END);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER count_${table} AFTER INSERT OR DELETE${bytesOf ? ` OR UPDATE OF ${bytesOf.join(', ')}` : ''}
  ON ${table} FOR EACH ROW EXECUTE FUNCTION count_${table}();
`;
}
