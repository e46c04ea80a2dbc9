import { resolveTxt } from 'node:dns/promises';
import { Client } from 'pg';
import type { WorkspaceConfig } from '../../config.js';
import { findAdministrator } from '../../database.js';
import { ok, skipped, warning, type Check, type Finding } from './finding.js';

/** Names that are asked at most. */
const namesMax = 100;

/** That the public key of each mailbox that signs is where receivers look for it. */
export const dkimCheck = (config: WorkspaceConfig): Check => ({
  about: 'DKIM',
  advice: 'It needs DATABASE_URL of a superuser, or of a user with BYPASSRLS.',
  run: async () => {
    const url = await findAdministrator(config).catch(() => null);
    if (url === null) return [skipped('it needs DATABASE_URL of an administrator')];
    const names = await namesOf(url);
    if (names.length === 0) return [ok('no mailbox signs')];
    return Promise.all(names.map(lookFor));
  },
});

async function namesOf(url: string): Promise<string[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `SELECT DISTINCT dkim->>'selector' || '._domainkey.' || split_part(address, '@', 2) AS name
       FROM mail.mailboxes WHERE dkim IS NOT NULL ORDER BY 1 LIMIT ${namesMax}`,
    );
    return rows.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

async function lookFor(name: string): Promise<Omit<Finding, 'about'>> {
  const records = await resolveTxt(name).catch(() => []);
  return records.some((parts) => /(^|;)\s*p=[A-Za-z0-9+/]/.test(parts.join('')))
    ? ok(`${name} has a key`)
    : warning(
        `${name} has no key`,
        'Publish the TXT record of the mailbox, or take its DKIM key away.',
      );
}
