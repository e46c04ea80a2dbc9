import type { LookupAddress } from 'node:dns';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import { TargetRefused, type Admitted, type OutboundGuard } from './outbound-guard.js';

/** Told whenever a target is dialled, with what is known of it. */
export type OnDial = (target: { host: string; port: number }, admitted: Admitted) => void;

export interface ConnectorOptions {
  /** For a connection, from the first packet to the end of the TLS handshake. */
  readonly timeoutMs: number;
  /** Authorities beside the system's (PEM). */
  readonly ca?: string;
  readonly onDial?: OnDial;
}

/**
 * How an undici `Agent` connects: to addresses that the guard admits at this moment, which are the very
 * ones that are dialled; without TLS to allow-listed ones only.
 */
export function guardedConnector(
  guard: OutboundGuard,
  { timeoutMs, ca, onDial }: ConnectorOptions,
): buildConnector.connector {
  return (options, callback) => {
    const { hostname, protocol } = options;
    const port = portOf(options);
    const admitted = guard.admit(hostname, port).then((found) => {
      if (protocol !== 'https:' && !found.isAllowListed) throw new TargetRefused();
      return found;
    });
    admitted.then(
      (found) => {
        onDial?.({ host: hostname, port }, found);
        const lookup = lookupOf(found.addresses);
        const base = buildConnector({
          timeout: timeoutMs,
          lookup,
          allowH2: false,
          ...(ca && { ca }),
        });
        base(options, callback);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

const portOf = ({ port, protocol }: buildConnector.Options): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);

/** Answers the addresses that were judged, whatever the name means in the next moment. */
const lookupOf =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_hostname, options, callback) => {
    if (options.all) return callback(null, [...addresses]);
    const [first] = addresses;
    return callback(null, first?.address ?? '', first?.family);
  };

/**
 * A connection to an address that the guard admits now.
 * @throws TargetRefused, NameUnresolved, or why there is no connection
 */
export async function dial(
  guard: OutboundGuard,
  { host, port }: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<Socket> {
  const { addresses } = await guard.admit(host, port);
  signal.throwIfAborted();
  const [first] = addresses;
  const to = addresses.length === 1 && first && isIP(first.address) ? first.address : host;
  return new Promise((resolve, reject) => {
    const socket = connect({ host: to, port, lookup: lookupOf(addresses) });
    const fail = (error: Error): void => {
      signal.removeEventListener('abort', abort);
      reject(error);
    };
    const abort = (): void => {
      socket.destroy(signal.reason instanceof Error ? signal.reason : new Error('too slow'));
    };
    signal.addEventListener('abort', abort, { once: true });
    socket.once('error', fail);
    socket.once('connect', () => {
      signal.removeEventListener('abort', abort);
      socket.off('error', fail);
      resolve(socket);
    });
  });
}
