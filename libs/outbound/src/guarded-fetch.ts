import { Agent, errors, fetch as undiciFetch, type RequestInit as UndiciRequest } from 'undici';
import { guardedConnector, type ConnectorOptions } from './dial.js';
import type { OutboundGuard } from './outbound-guard.js';

export interface FetchBounds extends Pick<ConnectorOptions, 'withoutTls'> {
  /** From the name's resolution to the end of the answer. */
  readonly timeoutMs: number;
  /** Bytes of an answer, as they are transferred and as they are unpacked. */
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
  return async (url, options) => {
    const time = AbortSignal.timeout(timeoutMs);
    const signal = options.signal ? AbortSignal.any([time, options.signal]) : time;
    const request = { ...options, redirect: 'manual', dispatcher, signal } as const;
    return unpackedWithin(bytesMax, await undiciFetch(url, request));
  };
}

/** Counts what is unpacked, too: of compressed bytes it may be a million times as many. */
function unpackedWithin(bytesMax: number, answer: Response): Response {
  if (answer.body === null || !answer.headers.has('content-encoding')) return answer;
  let bytes = 0;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      bytes += piece.length;
      if (bytes > bytesMax) controller.error(new errors.ResponseExceededMaxSizeError());
      else controller.enqueue(piece);
    },
  });
  return new Response(answer.body.pipeThrough(counting), answer);
}
