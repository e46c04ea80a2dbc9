import { domainName, newId, systemActor } from '@postroom/contracts';
import { UnitOfWork, type Origin } from '@postroom/operations';
import { statement, type Database } from '@postroom/persistence';
import { addDomain, listDomains, removeDomain, verifyDomain } from './stored-domains.js';

const originOf = (tenantId: string): Origin => ({ tenantId, actor: systemActor, source: 'app' });

const findOwner = statement<{ owner: string | null }>(
  'domains.owner',
  'SELECT domain_owner($1) AS owner',
);

/**
 * The workspace that has proved a domain or was given it; null for none.
 * @throws Error when that is no domain
 */
export async function domainOwner(database: Database, given: string): Promise<string | null> {
  const [found] = await database.rows(findOwner, [nameOf(given)]);
  return found?.owner ?? null;
}

/**
 * Gives a workspace a domain, as the operator says: it needs no proof. Again: nothing changes.
 * @throws Error when that is no domain, or another workspace has it
 */
export async function giveDomain(
  database: Database,
  tenantId: string,
  given: string,
): Promise<void> {
  const name = nameOf(given);
  const owner = await domainOwner(database, name);
  if (owner === tenantId) return;
  if (owner !== null) throw new Error(`The domain ${name} belongs to another workspace.`);
  await new UnitOfWork(database).change(originOf(tenantId), null, async (changing) => {
    const known = (await listDomains(changing)).find((one) => one.name === name);
    const { id } = known
      ? await verifyDomain(changing, known.id)
      : await addDomain(changing, { id: newId('dom'), name, isGiven: true });
    const audit = { action: 'domains.give', subjectId: id, requestId: null };
    return { value: undefined, audit };
  });
}

/**
 * Takes a domain away from the workspace that has it.
 * @throws Error when none has it
 */
export async function takeDomainAway(database: Database, given: string): Promise<void> {
  const name = nameOf(given);
  const tenantId = await domainOwner(database, name);
  if (tenantId === null) throw new Error(`No workspace has the domain ${name}.`);
  await new UnitOfWork(database).change(originOf(tenantId), null, async (changing) => {
    const known = (await listDomains(changing)).find((one) => one.name === name);
    if (known) await removeDomain(changing, known.id);
    const audit = { action: 'domains.take', subjectId: known?.id ?? null, requestId: null };
    return { value: undefined, audit };
  });
}

function nameOf(given: string): string {
  const name = domainName(given);
  if (name === null) throw new Error(`${given} is no domain.`);
  return name;
}
