import { Problem } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { routingAddress } from '../mailboxes/plain.js';

type Rows = Pick<Reading, 'rows'>;

const findHolder = statement<{ isOurs: boolean }>(
  'domains.holder',
  `SELECT owner = $1::text AS "isOurs" FROM domain_owner($2) AS owner WHERE owner IS NOT NULL`,
);

/** Who has proved a domain or was given it: this workspace, another one, or nobody. */
export async function domainHolder(
  { rows }: Rows,
  domain: string,
): Promise<'us' | 'others' | null> {
  const [found] = await rows(findHolder, [domain]);
  if (!found) return null;
  return found.isOurs ? 'us' : 'others';
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
export async function requireOurDomain(context: Rows, address: string): Promise<void> {
  const holder = await domainHolder(context, domainOfAddress(address));
  if (holder !== 'us') throw new Problem('DOMAIN_NOT_VERIFIED');
}
