import { randomBytes } from 'node:crypto';
import { domainsMax, Problem, type Domain, type DomainRecord } from '@postroom/contracts';
import { isUniqueViolation, type Changing, type Reading } from '@postroom/operations';
import { instant, statement } from '@postroom/persistence';
import { routingAddress } from '../routing-address.js';

type Rows = Pick<Reading, 'rows'>;

/** A domain as it is stored. */
export interface StoredDomain extends Pick<Domain, 'id' | 'name' | 'version'> {
  /** The token that its DNS record must contain. */
  readonly token: string;
  readonly verifiedAt: string | null;
  readonly createdAt: string;
}

const columns = `id, name, token, ${instant('verified_at')} AS "verifiedAt",
  ${instant('created_at')} AS "createdAt", version`;

const list = statement<StoredDomain>('domains.list', `SELECT ${columns} FROM domains_of($1)`);

const find = statement<StoredDomain>(
  'domains.find',
  `SELECT ${columns} FROM domains_of($1) WHERE id = $2`,
);

// One writer a workspace at a time, so that the limit on domains holds.
const lock = statement<object>('domains.lock', `SELECT take_lock('domains ' || $1)`);

const count = statement<{ count: number }>(
  'domains.count',
  'SELECT count(*)::int AS count FROM domains WHERE tenant_id = $1',
);

const add = statement<StoredDomain>(
  'domains.add',
  `INSERT INTO domains (tenant_id, id, name, token, verified_at, created_at)
   VALUES ($1, $2, $3, $4, $5::timestamptz, $6::timestamptz) RETURNING ${columns}`,
);

const verify = statement<StoredDomain>(
  'domains.verify',
  `UPDATE domains SET verified_at = $3::timestamptz, version = version + 1
   WHERE tenant_id = $1 AND id = $2 AND verified_at IS NULL RETURNING ${columns}`,
);

const remove = statement<StoredDomain>(
  'domains.remove',
  `DELETE FROM domains WHERE tenant_id = $1 AND id = $2 RETURNING ${columns}`,
);

const findOwner = statement<{ owner: string | null }>(
  'domains.owner_for',
  'SELECT domain_owner($2) AS owner WHERE $1::text IS NOT NULL',
);

const countDependents = statement<{ count: number }>(
  'domains.count_dependents',
  `SELECT count(*)::int AS count FROM mailboxes
   WHERE tenant_id = $1 AND split_part(routing_address, '@', 2) = $2
     AND outgoing IS NULL AND imap IS NULL`,
);

/** The record that proves a domain. Its name is its own, so that no record of others is in the way. */
export const recordOf = ({ name, token }: Pick<StoredDomain, 'name' | 'token'>): DomainRecord => ({
  type: 'TXT',
  name: `_postroom.${name}`,
  value: `postroom-verification=${token}`,
});

/** A domain as settings show it. */
export const domainView = (domain: StoredDomain): Domain => ({
  id: domain.id,
  name: domain.name,
  state: domain.verifiedAt === null ? 'pending' : 'verified',
  record: recordOf(domain),
  verifiedAt: domain.verifiedAt,
  createdAt: domain.createdAt,
  version: domain.version,
});

/** All domains of the workspace, by name. */
export const listDomains = ({ rows }: Rows): Promise<StoredDomain[]> => rows(list, []);

/** @throws Problem DOMAIN_NOT_FOUND */
export async function findDomain({ rows }: Rows, id: string): Promise<StoredDomain> {
  const [found] = await rows(find, [id]);
  if (!found) throw new Problem('DOMAIN_NOT_FOUND');
  return found;
}

/**
 * @param domain a new one; verified when it is given by the operator
 * @throws Problem DOMAIN_EXISTS, DOMAIN_TAKEN, TOO_MANY_DOMAINS
 */
export async function addDomain(
  { rows, at }: Changing,
  { id, name, isGiven }: Pick<StoredDomain, 'id' | 'name'> & { isGiven: boolean },
): Promise<StoredDomain> {
  await rows(lock, []);
  const [found] = await rows(count, []);
  if (found && found.count >= domainsMax) throw new Problem('TOO_MANY_DOMAINS');
  const token = randomBytes(24).toString('base64url');
  const [added] = await rows(add, [id, name, token, isGiven ? at : null, at]).catch(refuseTaken);
  return inserted(added);
}

/**
 * Records that a domain is proved or given.
 * @throws Problem DOMAIN_NOT_FOUND, DOMAIN_TAKEN
 */
export async function verifyDomain(context: Changing, id: string): Promise<StoredDomain> {
  const [verified] = await context.rows(verify, [id, context.at]).catch(refuseTaken);
  // Verified by a request beside this one, or gone.
  return verified ?? findDomain(context, id);
}

/** @throws Problem DOMAIN_NOT_FOUND */
export async function removeDomain({ rows }: Rows, id: string): Promise<StoredDomain> {
  const [removed] = await rows(remove, [id]);
  if (!removed) throw new Problem('DOMAIN_NOT_FOUND');
  return removed;
}

/**
 * The mailboxes of a domain that have no server of their own stop when it is removed.
 * @throws Problem DOMAIN_IN_USE
 */
export async function requireNoDependents(
  { rows }: Rows,
  { name, verifiedAt }: StoredDomain,
): Promise<void> {
  if (verifiedAt === null) return;
  const count = (await rows(countDependents, [name]))[0]?.count ?? 0;
  if (count === 0) return;
  const message = {
    fr: `Boîtes qui s’arrêteraient : ${count}`,
    en: `Mailboxes that would stop: ${count}`,
  };
  throw new Problem('DOMAIN_IN_USE', { violations: [{ field: '', message }] });
}

/** The workspace that has proved a domain or was given it; null for none. */
export async function ownerOfDomain({ rows }: Rows, name: string): Promise<string | null> {
  return (await rows(findOwner, [name]))[0]?.owner ?? null;
}

/** The holder of a domain: this workspace, another one, or none (null). */
export async function domainHolder(
  reading: Rows & Pick<Reading, 'tenantId'>,
  domain: string,
): Promise<'us' | 'others' | null> {
  const owner = await ownerOfDomain(reading, domain);
  if (owner === null) return null;
  return owner === reading.tenantId ? 'us' : 'others';
}

/** The domain of an address as mail is routed to it. */
export const domainOfAddress = (address: string): string => {
  const routed = routingAddress(address);
  return routed.slice(routed.lastIndexOf('@') + 1);
};

/**
 * Mail of other domains does not leave through the deployment's servers.
 * @throws Problem DOMAIN_NOT_VERIFIED
 */
export async function requireOurDomain(
  context: Parameters<typeof domainHolder>[0],
  address: string,
): Promise<void> {
  const holder = await domainHolder(context, domainOfAddress(address));
  if (holder !== 'us') throw new Problem('DOMAIN_NOT_VERIFIED');
}

function refuseTaken(error: unknown): never {
  if (isUniqueViolation(error, 'domains_name'))
    throw new Problem('DOMAIN_EXISTS', { cause: error });
  if (isUniqueViolation(error, 'domains_verified')) {
    throw new Problem('DOMAIN_TAKEN', { cause: error });
  }
  throw error;
}

function inserted(row: StoredDomain | undefined): StoredDomain {
  if (!row) throw new Error('an INSERT returns its row');
  return row;
}
