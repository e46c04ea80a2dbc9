import { statement, type Database } from '@postroom/persistence';
import { ConfigError, type ConfigFault } from '@postroom/service';
import type { AuditChain } from './audit-chain.js';
import { headOf, type HeadRow } from './audit-rows.js';

const auditKeys = statement<{ id: string; since: Date }>(
  'access.audit_keys',
  'SELECT id, since FROM used_audit_keys() ORDER BY since',
);
const addAuditKey = statement<object>('access.use_audit_key', 'SELECT use_audit_key($1)');
const anyHead = statement<HeadRow & { tenant_id: string }>(
  'access.any_audit_head',
  'SELECT tenant_id, true AS begun, length::float8 AS length, last_hash, mac FROM any_audit_head()',
);

/**
 * Faults of the keys of the audit: a chain is verified as long as it is kept, so every key that links
 * were made with has to be there.
 */
export async function auditKeyFaults(
  database: Pick<Database, 'rows'>,
  chain: AuditChain,
): Promise<ConfigFault[]> {
  const used = await database.rows(auditKeys, []);
  const lacking = used
    .filter(({ id }) => !chain.keyIds.includes(id))
    .map(({ since }) => `used since ${since.toISOString().slice(0, 10)}`);
  if (used.length === 0 && (await keyOfAnyHead(database, chain)) === null) {
    lacking.push('used until now');
  }
  return lacking.map((which) => ({
    variable: 'AUDIT_KEY',
    found: `lacks the key ${which}, which links of the audit were made with`,
    allowed:
      'all keys that were ever used, the one in use first: links are verified, never made anew',
  }));
}

/**
 * Refuses to start on {@link auditKeyFaults}, else notes that the first key makes links from now on.
 *
 * @throws ConfigError
 */
export async function requireAuditKeys(
  database: Pick<Database, 'rows'>,
  chain: AuditChain,
): Promise<void> {
  const faults = await auditKeyFaults(database, chain);
  if (faults.length > 0) throw new ConfigError(faults);
  const before = await keyOfAnyHead(database, chain);
  for (const id of [before ?? chain.keyIds[0], chain.keyIds[0]])
    await database.rows(addAuditKey, [id]);
}

/**
 * The key that a chain ends with: any chain shows it of those from before keys were noted, whose key was never
 * changed. Undefined where there is no chain, null where it is none of these.
 */
async function keyOfAnyHead(
  database: Pick<Database, 'rows'>,
  chain: AuditChain,
): Promise<string | null | undefined> {
  const [row] = await database.rows(anyHead, []);
  const head = row && headOf(row);
  return head ? chain.keyIdOf(row.tenant_id, head) : undefined;
}
