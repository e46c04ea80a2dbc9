import { lookup, resolveTxt } from 'node:dns/promises';
import { Client } from 'pg';
import type { PostroomConfig } from '../../config.js';
import { findAdministrator } from '../../database.js';
import { type Check, type Finding, ok, skipped, warning } from './finding.js';
import { once } from 'node:events';
import { connect } from 'node:tls';
import { createTransport } from 'nodemailer';

/** Days before its end at which a certificate is told of. */
const renewDays = 14;
const dayMs = 86_400_000;

/** That users reach the deployment by name and over TLS, and that mail leaves. */
export const outsideChecks = ({
  publicUrl,
  outgoingSmtpUrl,
}: {
  readonly publicUrl: string;
  readonly outgoingSmtpUrl: string | null;
}): Check[] => {
  const { hostname, protocol, port } = new URL(publicUrl);
  return [
    {
      about: 'name of PUBLIC_URL',
      advice: 'Give the name an address, or correct PUBLIC_URL.',
      run: async () => [ok(`${hostname} is ${(await lookup(hostname)).address}`)],
    },
    {
      about: 'TLS of PUBLIC_URL',
      advice: 'See the certificate of the proxy in front.',
      run: async () =>
        protocol === 'https:'
          ? certificateFindings(await certificateEnd(hostname, Number(port || 443)), Date.now())
          : [skipped(`${publicUrl} is plain HTTP, for this machine alone`)],
    },
    {
      about: 'outgoing mail',
      advice: 'See OUTGOING_SMTP_URL: address, user and password, and whether its port is open.',
      run: async () => {
        if (outgoingSmtpUrl === null) return [skipped('OUTGOING_SMTP_URL is not set')];
        const transport = createTransport(outgoingSmtpUrl);
        try {
          await transport.verify();
          return [ok('the server takes us')];
        } finally {
          transport.close();
        }
      },
    },
  ];
};

async function certificateEnd(host: string, port: number): Promise<number> {
  const socket = connect({ host, port, servername: host });
  try {
    await once(socket, 'secureConnect');
    return Date.parse(socket.getPeerCertificate().valid_to);
  } finally {
    socket.destroy();
  }
}

export function certificateFindings(endMs: number, nowMs: number) {
  const days = Math.floor((endMs - nowMs) / dayMs);
  return days >= renewDays
    ? [ok(`valid for ${days} more days`)]
    : [warning(`valid for ${days} more days`, 'Renew the certificate.')];
}

/** Names that are asked at most. */
const namesMax = 100;

/** That the public key of each mailbox that signs is where receivers look for it. */
export const dkimCheck = (config: PostroomConfig): Check => ({
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
