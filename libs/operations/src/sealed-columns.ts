import type { Keyring, SealedColumn } from '@postroom/access';
import { statement, type Database } from '@postroom/persistence';
import { lookupRole, type MadeFile } from '@postroom/persistence/provision';
import { ConfigError } from '@postroom/service';

/** The column's name for an operator: `mailboxes.outgoing`. */
const placeOf = ({ table, column }: SealedColumn): string => `${table}.${column}`;

const secretIn = ({ column, field }: SealedColumn): string =>
  field === undefined ? column : `(${column}->>'${field}')`;

/** SQL for the id of the key that encrypted a secret, as the column's index has it. */
const keyIn = (column: SealedColumn): string => `split_part(${secretIn(column)}, '.', 1)`;

/**
 * SQL for the migration of a sealed column: an index by key, and the rights of the functions of
 * {@link sealedFunctions}, which see the rows of all tenants. The table needs a `lookupPolicy`.
 */
export const sealedColumn = (schema: string, sealed: SealedColumn): string => {
  const { table, column, key } = sealed;
  return `
  CREATE INDEX ${table}_${column}_key ON ${table} (${keyIn(sealed)}, ${key})
    WHERE ${secretIn(sealed)} IS NOT NULL;
  GRANT SELECT (${key}, ${column}), UPDATE (${column}) ON ${table} TO ${lookupRole(schema)};
`;
};

/** The functions of a schema with these sealed columns, for its `made`. */
export const sealedFunctions = (columns: readonly SealedColumn[]): MadeFile => ({
  path: 'operations/sealed-columns.sql',
  text: sealedWithout(columns) + sealedBy(columns) + reseal(columns),
});

// One look into the index of a column for each key that it has; rows are counted of other keys alone.
const sealedWithout = (columns: readonly SealedColumn[]): string => `
CREATE OR REPLACE FUNCTION sealed_without(p_keys text[])
RETURNS TABLE (place text, key_id text, secrets bigint) LANGUAGE sql STABLE
SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
${columns.map(keysOf).join('  UNION ALL\n')}$$;
`;

const keysOf = (sealed: SealedColumn): string => {
  const [key, from] = [keyIn(sealed), `FROM ${sealed.table} WHERE ${secretIn(sealed)} IS NOT NULL`];
  return `  SELECT '${placeOf(sealed)}', k.id, (SELECT count(*) ${from} AND ${key} = k.id)
  FROM (
    WITH RECURSIVE found AS (
      SELECT (SELECT min(${key}) ${from}) AS id
      UNION ALL
      SELECT (SELECT min(${key}) ${from} AND ${key} > f.id) FROM found f WHERE f.id IS NOT NULL
    )
    SELECT f.id FROM found f WHERE f.id IS NOT NULL AND f.id <> ALL (p_keys)
  ) k
`;
};

const sealedBy = (columns: readonly SealedColumn[]): string => `
-- Secrets of a column that are sealed with a key, after a row, by the rows' names.
CREATE OR REPLACE FUNCTION sealed_by(p_place text, p_key text, p_after text, p_limit integer)
RETURNS TABLE (id text, sealed text) LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  CASE p_place
${columns
  .map(
    (sealed) => `    WHEN '${placeOf(sealed)}' THEN
      RETURN QUERY SELECT t.${sealed.key}, ${secretIn(sealed)} FROM ${sealed.table} t
        WHERE ${secretIn(sealed)} IS NOT NULL AND ${keyIn(sealed)} = p_key AND t.${sealed.key} > p_after
        ORDER BY t.${sealed.key} LIMIT p_limit;
`,
  )
  .join('')}  END CASE;
END $$;
`;

const reseal = (columns: readonly SealedColumn[]): string => `
-- Replaces a sealed secret unless it has been changed meanwhile. The version stays, since nothing that a reader of
-- the row sees has changed.
CREATE OR REPLACE FUNCTION reseal(p_place text, p_id text, p_before text, p_after text)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  CASE p_place
${columns
  .map(
    (sealed) => `    WHEN '${placeOf(sealed)}' THEN
      UPDATE ${sealed.table} t SET ${sealed.column} = ${resealedIn(sealed)}
        WHERE t.${sealed.key} = p_id AND ${secretIn(sealed)} = p_before;
`,
  )
  .join('')}  END CASE;
  RETURN FOUND;
END $$;
`;

const resealedIn = ({ column, field }: SealedColumn): string =>
  field === undefined ? 'p_after' : `jsonb_set(${column}, '{${field}}', to_jsonb(p_after))`;

/** Secrets of a column that one key has sealed. */
export interface SealedSecrets {
  /** `table.column`. */
  readonly place: string;
  readonly keyId: string;
  readonly secrets: number;
}

const findSealed = statement<SealedSecrets>(
  'operations.sealed_without',
  `SELECT place, key_id AS "keyId", secrets::float8 AS secrets FROM sealed_without($1)
   ORDER BY place, key_id`,
);

/**
 * The secrets of a service that are sealed with other keys than these. It costs a look into an index for
 * each column and key, and as many as there are secrets of other keys.
 */
export const sealedWithoutKeys = (
  database: Pick<Database, 'rows'>,
  ids: readonly string[],
): Promise<SealedSecrets[]> => database.rows(findSealed, [ids]);

/** The fault of a keyring that lacks the key of these secrets, for an operator. */
export const lackingKey = ({ place, keyId, secrets }: SealedSecrets): string =>
  `lacks the key "${keyId}", which ${secrets} of ${place} are sealed with`;

/** The remedy for {@link lackingKey}. */
const keysAllowed =
  'every key that is still needed; "postroom secrets reseal" seals all with the first, and says so';

/** @throws ConfigError when the ring lacks a key that something is sealed with */
export async function requireSealingKeys(
  database: Pick<Database, 'rows'>,
  keyring: Keyring,
): Promise<void> {
  const lacking = await sealedWithoutKeys(database, keyring.ids);
  if (lacking.length === 0) return;
  throw new ConfigError(
    lacking.map((one) => ({
      variable: 'SECRETS_KEYS',
      found: lackingKey(one),
      allowed: keysAllowed,
    })),
  );
}

/** Rows that are read at a time. */
const batchMax = 500;

const sealedRows = statement<{ id: string; sealed: string }>(
  'operations.sealed_by',
  'SELECT id, sealed FROM sealed_by($1, $2, $3, $4)',
);

const replaceSealed = statement<{ replaced: boolean }>(
  'operations.reseal',
  'SELECT reseal($1, $2, $3, $4) AS replaced',
);

/**
 * Seals everything that an older key of the ring has sealed with its first, row by row, while the service
 * runs: who changes a secret meanwhile has sealed it with a key of theirs, and keeps it. Repeated, it goes on
 * where it was cut off.
 *
 * @returns how many it has sealed, by column and key
 */
export async function resealSecrets(
  database: Pick<Database, 'rows'>,
  keyring: Keyring,
  columns: readonly SealedColumn[],
): Promise<SealedSecrets[]> {
  const resealed: SealedSecrets[] = [];
  for (const found of await sealedWithoutKeys(database, keyring.ids.slice(0, 1))) {
    const column = columns.find((one) => placeOf(one) === found.place);
    if (!column || !keyring.ids.includes(found.keyId)) continue;
    const secrets = await resealColumn(database, keyring, { ...found, column });
    resealed.push({ ...found, secrets });
  }
  return resealed;
}

async function resealColumn(
  database: Pick<Database, 'rows'>,
  keyring: Keyring,
  { place, keyId, column }: SealedSecrets & { readonly column: SealedColumn },
): Promise<number> {
  let count = 0;
  let after: string | undefined = '';
  while (after !== undefined) {
    const batch: { id: string; sealed: string }[] = await database.rows(sealedRows, [
      ...[place, keyId, after, batchMax],
    ]);
    for (const { id, sealed } of batch) {
      const secret = opened(keyring, column, { id, sealed });
      if (!secret) continue;
      const anew = keyring.encrypt(secret, column, id);
      const [row] = await database.rows(replaceSealed, [place, id, sealed, anew]);
      if (row?.replaced === true) count += 1;
    }
    after = batch.length < batchMax ? undefined : batch.at(-1)?.id;
  }
  return count;
}

/** Null of what is not what the key has sealed: it stays, and the key is needed on. */
function opened(
  keyring: Keyring,
  column: SealedColumn,
  { id, sealed }: { readonly id: string; readonly sealed: string },
): Buffer | null {
  try {
    return keyring.decrypt(sealed, column, id);
  } catch {
    return null;
  }
}
