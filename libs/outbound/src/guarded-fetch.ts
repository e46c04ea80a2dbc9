import { Agent, fetch as undiciFetch, type RequestInit as UndiciRequest } from 'undici';
import { guardedConnector, type ConnectorOptions } from './dial.js';
import type { OutboundGuard } from './outbound-guard.js';

export interface FetchBounds extends Pick<ConnectorOptions, 'withoutTls'> {
  /** From the name's resolution to the end of the answer. */
  readonly timeoutMs: number;
  /** Bytes of an answer, as they are transferred. */
  readonly bytesMax: number;
}

/**
 * A `fetch` that dials what the guard admits, each request on a connection of its own. It follows no redirect;
 * `signal` may end a request before its time.
 * @throws TypeError of fetch, whose cause is TargetRefused, NameUnresolved or the connection's error
 */
export function guardedFetch(
  guard: OutboundGuard,
  { timeoutMs, bytesMax, ...connector }: FetchBounds,
): (url: string, options: UndiciRequest) => Promise<Response> {
  const dispatcher = new Agent({
    connect: guardedConnector(guard, { timeoutMs, ...connector }),
    ...{ maxResponseSize: bytesMax, maxHeaderSize: 16_384, pipelining: 0 },
    ...{ headersTimeout: timeoutMs, bodyTimeout: timeoutMs },
  });
  return (url, options) => {
    const time = AbortSignal.timeout(timeoutMs);
    const signal = options.signal ? AbortSignal.any([time, options.signal]) : time;
    return undiciFetch(url, { ...options, redirect: 'manual', dispatcher, signal });
  };
}
