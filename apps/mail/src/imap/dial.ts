import { isIP } from 'node:net';
import type { OutboundGuard } from '@postroom/outbound';
import { ImapFlow } from 'imapflow';
import type { ImapLogin } from '../accounts/index.js';
import { ImapClient, idleMs, mebi, silenceMs } from './imap-client.js';
import { sourceBytesMax } from './remote-mailbox.js';

/** The server of a mailbox's account, and a login there. */
type ImapAccount = Omit<ImapLogin, 'refused'>;

const setUpMs = 15_000;
const addressesTried = 3;

/** Errors of a connection to one of several addresses, after which the next one is tried. */
const addressFaults = new Set(['ECONNREFUSED', 'ENETUNREACH', 'EHOSTUNREACH', 'CONNECT_TIMEOUT']);

const ignore = (): void => undefined;
const silent = {
  ...{ debug: ignore, info: ignore, error: ignore, fatal: ignore },
  isLevelEnabled: () => false,
};

/**
 * Connects to an address that the guard admits now, and signs in.
 * @throws TargetRefused, NameUnresolved, or the error of the connection
 */
export async function dial(
  guard: OutboundGuard,
  account: ImapAccount,
  signal: AbortSignal,
): Promise<ImapClient> {
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
  });
  aborted.catch(() => undefined);
  const admitted = guard.admit(account.host, account.port);
  const { addresses, isAllowListed } = await Promise.race([admitted, aborted]);
  let fault: unknown;
  for (const { address } of addresses.slice(0, addressesTried)) {
    signal.throwIfAborted();
    try {
      return await signIn(address, account, isAllowListed, signal);
    } catch (error) {
      fault = error;
      if (!addressFaults.has(codeOf(error))) break;
    }
  }
  throw fault;
}

async function signIn(
  address: string,
  { host, port, secure, user, password, accessToken }: ImapAccount,
  isAllowListed: boolean,
  signal: AbortSignal,
): Promise<ImapClient> {
  const given: { client?: ImapClient } = {};
  const flow = new ImapFlow({
    ...{ host: address, port, secure },
    ...(isIP(host) === 0 && { servername: host }),
    // Without it a server that offers no STARTTLS is signed in to in clear text.
    ...(!secure && !isAllowListed && { doSTARTTLS: true }),
    ...(isAllowListed && { tls: { rejectUnauthorized: false } }),
    auth: { user, ...(accessToken === null ? { pass: password ?? '' } : { accessToken }) },
    clientInfo: { name: 'Postroom' },
    qresync: true,
    disableAutoIdle: true,
    disableCompression: true,
    maxIdleTime: idleMs,
    socketTimeout: silenceMs,
    ...{ connectionTimeout: setUpMs, greetingTimeout: setUpMs },
    ...{ maxLiteralSize: sourceBytesMax + mebi, maxResponseSize: sourceBytesMax + 2 * mebi },
    ...{ maxLineLength: 16 * mebi, maxResponseTokens: 100_000 },
    // Its log has addresses, and is the only place where it repeats some refusals.
    logger: { ...silent, warn: ({ err }: { err?: unknown }) => given.client?.refused(err) },
    expungeHandler: ({ path, uid }) => given.client?.expunged(path, uid),
  });
  // Without a listener an error after the end would end the process.
  flow.on('error', () => undefined);
  signal.addEventListener('abort', () => flow.close(), { once: true });
  try {
    await flow.connect();
  } catch (error) {
    flow.close();
    throw error;
  }
  given.client = new ImapClient(flow);
  return given.client;
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';
