import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** An HTTP answer as it came. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The request. */
export interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
}

/** Methods that usually have a body: without one they send `Content-Length: 0`. */
const withBody = ['POST', 'PUT', 'PATCH'];

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

/** Closes the connections that are kept for further requests. */
export const closeConnections = (): void => agent.destroy();

/** One HTTP request; any status is an answer. The path is not normalised. */
export function send(url: string, asking: Asking = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body } = asking;
  const { hostname, port, origin } = new URL(url);
  const path = url.slice(origin.length);
  const length =
    body !== undefined || withBody.includes(method)
      ? { 'content-length': String(Buffer.byteLength(body ?? '')) }
      : {};
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { hostname, port, path, method, headers: { ...length, ...headers }, agent },
      (incoming) => {
        textOf(incoming).then((text) => {
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
        }, reject);
      },
    );
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // A server closes an idle connection at the moment in which it is used again: RFC 9112 §9.3.1 has the client repeat.
      const wasClosed = outgoing.reusedSocket && error.code === 'ECONNRESET';
      if (wasClosed && method === 'GET') resolve(send(url, asking));
      else reject(error);
    });
    outgoing.end(body);
  });
}

/**
 * Repeats a request that is answered with 503, as its client does: on a machine that is busy with
 * other programs, what is right may take longer than the deadline of one call.
 */
export async function untilServed(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
    await sleep(500);
  }
}
