import type { LookupAddress } from 'node:dns';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import { TargetRefused, type Admitted, type OutboundGuard } from './outbound-guard.js';

/** Called for each connection, with the origin of its target (RFC 6454). */
export type OnConnect = (socket: Socket, origin: string, admitted: Admitted) => void;

export interface ConnectorOptions {
  /** Bounds a connection, from the first packet to the end of the TLS handshake. */
  readonly timeoutMs: number;
  /** Authorities beside the system's (PEM). */
  readonly ca?: string;
  /** Targets that may be reached without TLS: those of the allow-list, when not said. */
  readonly withoutTls?: 'allow-listed' | 'any';
  readonly onConnect?: OnConnect;
}

/**
 * The connector of an undici `Agent`: it dials exactly the addresses that the guard admits at this moment,
 * and without TLS allow-listed ones only, unless `withoutTls` says otherwise.
 */
export function guardedConnector(
  guard: OutboundGuard,
  { timeoutMs, ca, withoutTls, onConnect }: ConnectorOptions,
): buildConnector.connector {
  return (options, callback) => {
    const { host, hostname, protocol } = options;
    const connect = (admitted: Admitted): void => {
      const needsTls = withoutTls !== 'any' && !admitted.isAllowListed;
      if (protocol !== 'https:' && needsTls) throw new TargetRefused();
      const lookup = lookupOf(admitted.addresses);
      const base = buildConnector({
        timeout: timeoutMs,
        lookup,
        allowH2: false,
        ...(ca && { ca }),
      });
      base(options, (...result) => {
        const [error, socket] = result;
        if (!error) onConnect?.(socket, `${protocol}//${host ?? hostname}`, admitted);
        callback(...result);
      });
    };
    guard
      .admit(hostname, portOf(options))
      .then(connect)
      .catch((error: unknown) =>
        callback(error instanceof Error ? error : new Error(String(error)), null),
      );
  };
}

/** The port that a URL's parts name. */
export const portOf = ({ port, protocol }: { port: string; protocol: string }): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);

/** Answers the addresses that were judged, even if the name resolves to others a moment later. */
const lookupOf =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_hostname, options, callback) => {
    if (options.all) return callback(null, [...addresses]);
    const [first] = addresses;
    return callback(null, first?.address ?? '', first?.family);
  };

/**
 * Connects to an address that the guard admits now.
 * @throws TargetRefused, NameUnresolved, or the error of the connection
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
