import { lookup } from 'node:dns/promises';
import { type Check, ok, skipped, warning } from './finding.js';
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
