import type { MessageAuth } from '@postroom/contracts';

/**
 * The name under which a provider writes what it found out about a sender (RFC 8601 §2.5). Of Google:
 * https://support.google.com/mail/answer/180707 shows `mx.google.com`.
 */
const authservIds: Readonly<Record<string, string>> = {
  'imap.gmail.com': 'mx.google.com',
  'imap.googlemail.com': 'mx.google.com',
};

const headBytes = 64 * 1024;
const results = new Set(['none', 'pass', 'fail', 'softfail', 'neutral', 'temperror', 'permerror']);

/**
 * Reads the verdicts on a sender that the account's own server has written into a message. Those under any other name
 * may be the sender's (RFC 8601 §5), and count for nothing.
 */
export function verdictsUnder(host: string): (raw: Buffer) => MessageAuth | null {
  const authservId = authservIds[host.toLowerCase()];
  return (raw) => (authservId === undefined ? null : verdictsIn(raw, authservId));
}

export function verdictsIn(raw: Buffer, authservId: string): MessageAuth | null {
  const start = raw.subarray(0, headBytes).toString('latin1').replaceAll('\r\n', '\n');
  const head = start.split('\n\n', 1)[0] ?? '';
  const unfolded = head.replaceAll('\n ', ' ').replaceAll('\n\t', ' ');
  for (const line of unfolded.split('\n')) {
    const [name = '', ...rest] = line.split(':');
    if (name.toLowerCase() !== 'authentication-results') continue;
    const [id = '', ...found] = rest.join(':').split(';');
    // Servers add theirs above those that a message came with: the first one is theirs.
    if (id.trim().split(' ')[0]?.toLowerCase() === authservId) return verdictsOf(found);
  }
  return null;
}

function verdictsOf(found: readonly string[]): MessageAuth {
  const told = new Map<string, string>();
  for (const one of found) {
    const [method = '', result = ''] = (one.trim().split(' ')[0] ?? '').toLowerCase().split('=');
    if (results.has(result) && !told.has(method)) told.set(method, result);
  }
  const of = (method: string): string | null => told.get(method) ?? null;
  return { spf: of('spf'), dkim: of('dkim'), dmarc: of('dmarc') };
}
