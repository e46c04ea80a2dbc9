import { Resolver } from 'node:dns/promises';
import { Client } from 'pg';
import type { PostroomConfig } from '../../config.js';
import { findAdministrator } from '../../database.js';
import { ok, skipped, warning, wrong, type Check, type Finding } from './finding.js';

/** The part of a resolver that is asked. */
export type Names = Pick<
  Resolver,
  'resolveMx' | 'resolveTxt' | 'resolve4' | 'resolve6' | 'reverse'
>;

type Said = Omit<Finding, 'about'>;

interface MailDomain {
  readonly name: string;
  /** Selectors with which its mailboxes sign. */
  readonly selectors: readonly string[];
}

/** Domains that are looked at, at most. */
const domainsMax = 100;

/** That mail of each domain finds this installation, and is believed elsewhere. */
export const mailDomainsCheck = (config: PostroomConfig): Check => ({
  about: 'mail domains',
  advice: 'It needs DATABASE_URL of a superuser, or of a user with BYPASSRLS.',
  run: async () => {
    const url = await findAdministrator(config).catch(() => null);
    if (url === null) return [skipped('it needs DATABASE_URL of an administrator')];
    const domains = await domainsOf(url);
    if (domains.length === 0) return [ok('no workspace has one')];
    const names = new Resolver({ timeout: 2_000, tries: 2 });
    return (await Promise.all(domains.map((one) => domainFindings(one, names)))).flat();
  },
});

async function domainsOf(url: string): Promise<MailDomain[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    const { rows } = await client.query<MailDomain>(
      `SELECT d.name, coalesce(array_agg(DISTINCT m.dkim->>'selector') FILTER (WHERE m.dkim IS NOT NULL), '{}') AS selectors
       FROM mail.domains d LEFT JOIN mail.mailboxes m
         ON m.tenant_id = d.tenant_id AND split_part(m.routing_address, '@', 2) = d.name AND m.deleted_at IS NULL
       WHERE d.verified_at IS NOT NULL GROUP BY d.name ORDER BY d.name LIMIT ${domainsMax}`,
    );
    return rows;
  } finally {
    await client.end();
  }
}

/** Findings about a domain: where its mail goes, and what others may believe of mail that is from it. */
export async function domainFindings(
  { name, selectors }: MailDomain,
  names: Names,
): Promise<Said[]> {
  const mx = await names.resolveMx(name).catch(() => []);
  const exchanges = mx.map(({ exchange }) => exchange);
  const signed = selectors.map((selector) => dkimFinding(`${selector}._domainkey.${name}`, names));
  return [
    mxFinding(name, exchanges),
    ...(await Promise.all(exchanges.slice(0, 3).map((exchange) => ptrFinding(exchange, names)))),
    await spfFinding(name, names),
    ...(signed.length === 0
      ? [warning(`${name}: no mailbox signs`, 'Run "postroom dkim new --mailbox ADDRESS".')]
      : await Promise.all(signed)),
    await dmarcFinding(name, names),
  ];
}

const mxFinding = (name: string, exchanges: readonly string[]): Said =>
  exchanges.length > 0
    ? ok(`${name}: MX ${exchanges.join(', ')}`)
    : warning(`${name} has no MX`, 'Name the mail server in front of Postroom in an MX record.');

/** That the address of a mail server has the name by which it greets others (RFC 1912 §2.1). */
async function ptrFinding(exchange: string, names: Names): Promise<Said> {
  const [four, six] = await Promise.all([
    names.resolve4(exchange).catch(() => []),
    names.resolve6(exchange).catch(() => []),
  ]);
  const addresses = [...four, ...six];
  if (addresses.length === 0) return wrong(`${exchange} has no address`, 'Give it an A record.');
  const told = await Promise.all(addresses.map((one) => names.reverse(one).catch(() => [])));
  const without = addresses.filter((_, at) => !told[at]?.some((one) => isSame(one, exchange)));
  return without.length === 0
    ? ok(`${exchange}: PTR of ${addresses.join(', ')}`)
    : warning(
        `${without.join(', ')} of ${exchange} has another name, or none (PTR)`,
        'Ask who gave you the address for a PTR record; others refuse mail without one.',
      );
}

const isSame = (one: string, other: string): boolean =>
  one.replace(/\.$/, '').toLowerCase() === other.replace(/\.$/, '').toLowerCase();

const textsOf = async (name: string, names: Names, begin: RegExp): Promise<string[]> =>
  (await names.resolveTxt(name).catch(() => []))
    .map((parts) => parts.join(''))
    .filter((text) => begin.test(text));

async function spfFinding(name: string, names: Names): Promise<Said> {
  const [record, ...more] = await textsOf(name, names, /^v=spf1(\s|$)/i);
  if (record === undefined)
    return warning(`${name} has no SPF record`, `Publish a TXT record "v=spf1 mx -all".`);
  if (more.length > 0)
    return wrong(`${name} has ${more.length + 1} SPF records`, 'Leave one: with two all fail.');
  return /(^|\s)\+?all(\s|$)/i.test(record)
    ? wrong(`${name}: SPF admits everybody ("${record}")`, 'End it with "-all" or "~all".')
    : ok(`${name}: SPF ${record}`);
}

async function dkimFinding(name: string, names: Names): Promise<Said> {
  const records = await textsOf(name, names, /(^|;)\s*p=[A-Za-z0-9+/]/);
  return records.length > 0
    ? ok(`${name} has a key`)
    : warning(
        `${name} has no key`,
        'Publish the TXT record of the mailbox, or take its DKIM key away.',
      );
}

async function dmarcFinding(name: string, names: Names): Promise<Said> {
  const [record] = await textsOf(`_dmarc.${name}`, names, /^v=DMARC1\s*(;|$)/);
  if (record === undefined)
    return warning(
      `${name} has no DMARC record`,
      `Publish a TXT record of _dmarc.${name}: "v=DMARC1; p=none; rua=mailto:…", later p=quarantine.`,
    );
  const policy = /(?:^|;)\s*p=(\w+)/i.exec(record)?.[1] ?? 'none';
  return ok(`${name}: DMARC p=${policy}`);
}
