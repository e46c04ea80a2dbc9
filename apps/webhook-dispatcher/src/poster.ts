import type { Socket } from 'node:net';
import { withTimeout } from '@postroom/concurrency';
import type { AttemptError } from '@postroom/contracts';
import { excerptBytesMax } from '@postroom/contracts';
import { guardedConnector, NameUnresolved, OutboundGuard, TargetRefused } from '@postroom/outbound';
import { Agent, type Dispatcher } from 'undici';
import { boundAnswers } from './answer-bytes.js';
import { retryAfterMs } from './schedule.js';

/** The result of an attempt. */
export interface AttemptResult {
  readonly error: AttemptError | null;
  readonly status: number | null;
  /** Null when nothing was sent, or it is unknown. */
  readonly durationMs: number | null;
  readonly excerpt: string | null;
  /** The wait that the receiver asks for before the next attempt. */
  readonly retryAfterMs: number;
}

/** A POST to be made. */
export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The answer is compared and never shown, so it is kept, also of an allow-listed target. */
  readonly isCompared?: boolean;
}

/** The User-Agent of our requests. */
export const userAgent = 'Postroom-Webhooks/1';

/** From DNS to the end of the answer or its first 4 KiB (`decisions.md` §8). */
const attemptMs = 8_000;

export interface PosterOptions {
  /** Authorities beside the system's (PEM). */
  readonly ca?: string;
  readonly attemptMs?: number;
}

/** Posts to targets, over connections that are kept alive for the next delivery. */
export class Poster {
  private readonly agent: Agent;
  private readonly attemptMs: number;
  private readonly allowListed = new AllowListedConnections();

  constructor(guard: OutboundGuard, options: PosterOptions = {}) {
    this.attemptMs = options.attemptMs ?? attemptMs;
    const connect = guardedConnector(guard, {
      timeoutMs: this.attemptMs,
      ...(options.ca && { ca: options.ca }),
      onConnect: (socket, origin, { isAllowListed }) => {
        boundAnswers(socket);
        if (isAllowListed) this.allowListed.add(origin, socket);
      },
    });
    // The time of an attempt is bounded as a whole.
    const timeouts = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 4_000 };
    this.agent = new Agent({ connect, ...timeouts, maxHeaderSize: 16_384, pipelining: 1 });
  }

  /** Bounds the time of an attempt here too: undici heeds a signal only once it is connected. */
  async post(post: Post): Promise<AttemptResult> {
    const began = performance.now();
    const cut = new AbortController();
    const result = await withTimeout(this.exchange(post, cut.signal), this.attemptMs, () => {
      cut.abort(new Error('the attempt took too long'));
      return failed('timed_out');
    });
    return { ...result, durationMs: Math.round(performance.now() - began) };
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async exchange(
    { url, headers, body, isCompared = false }: Post,
    signal: AbortSignal,
  ): Promise<Exchanged> {
    const { origin, pathname, search } = new URL(url);
    try {
      const answer = await this.agent.request({
        origin,
        path: pathname + search,
        method: 'POST',
        headers,
        body,
        signal,
      });
      // Checked before the body is read: when it has ended, the connection may be closed.
      const isHidden = !isCompared && this.allowListed.has(origin);
      const excerpt = await excerptOf(answer.body, signal);
      return { ...judge(answer), excerpt: isHidden ? null : excerpt };
    } catch (error) {
      return failed(faultOf(error));
    }
  }
}

/** Open connections to targets that the operator allow-lists: their answers are never shown. */
class AllowListedConnections {
  private readonly byOrigin = new Map<string, Set<Socket>>();

  add(origin: string, socket: Socket): void {
    const open = this.byOrigin.get(origin) ?? new Set();
    this.byOrigin.set(origin, open.add(socket));
    socket.once('close', () => {
      open.delete(socket);
      if (open.size === 0) this.byOrigin.delete(origin);
    });
  }

  has(origin: string): boolean {
    return this.byOrigin.has(origin);
  }
}

type Exchanged = Omit<AttemptResult, 'durationMs'>;

const failed = (error: AttemptError): Exchanged => ({
  error,
  status: null,
  excerpt: null,
  retryAfterMs: 0,
});

function judge({ statusCode, headers }: Dispatcher.ResponseData) {
  const asked = headers['retry-after'];
  const isTaken = statusCode >= 200 && statusCode < 300;
  return {
    error: isTaken ? null : ('status' as const),
    status: statusCode,
    retryAfterMs: isTaken ? 0 : retryAfterMs(Array.isArray(asked) ? asked[0] : asked, Date.now()),
  };
}

/** The first 4 KiB; the connection is closed when there is more. */
async function excerptOf(
  body: Dispatcher.ResponseData['body'],
  signal: AbortSignal,
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    signal.throwIfAborted();
    chunks.push(chunk.subarray(0, excerptBytesMax - bytes));
    bytes += chunk.length;
    // Leaving the loop destroys the stream.
    if (bytes >= excerptBytesMax) break;
  }
  // PostgreSQL keeps no NUL.
  return Buffer.concat(chunks).toString('utf8').replaceAll('\0', '\uFFFD');
}

const unreachable =
  /^E(CONNREFUSED|HOSTUNREACH|NETUNREACH|ADDRNOTAVAIL|NETDOWN|HOSTDOWN|TIMEDOUT)$/;
const tls =
  /^(ERR_(TLS|SSL)|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/;

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

/** The fault as it may be shown: nothing from the resolver, and of a network only that it is unreachable. */
function faultOf(error: unknown): AttemptError {
  if (error instanceof TargetRefused) return 'target_refused';
  if (error instanceof NameUnresolved) return error.isUnknown ? 'name_not_found' : 'unreachable';
  const code = codeOf(error);
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'timed_out';
  if (unreachable.test(code)) return 'unreachable';
  return tls.test(code) ? 'tls_failed' : 'bad_answer';
}
