import { request, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';

/** An answer. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Names and values alternately, as they came. */
  readonly rawHeaders: readonly string[];
  readonly text: string;
}

/** A request of a spec; an object body is sent as JSON. */
export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer | object;
}

/** The cookie that an answer sets, as a request sends it. */
export const cookieOf = ({ headers }: Answer): string =>
  headers['set-cookie']?.[0]?.split(';')[0] ?? '';

/** Sends one request on a connection of its own. */
export function send(
  url: string,
  { method = 'GET', headers = {}, body }: Ask = {},
): Promise<Answer> {
  const bytes = bytesOf(body);
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method,
        agent: false,
        headers: {
          ...(bytes && { 'content-type': 'application/json' }),
          ...(bytes && !('transfer-encoding' in headers) && { 'content-length': bytes.length }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            rawHeaders: response.rawHeaders,
            text: Buffer.concat(chunks).toString(),
          });
        });
      },
    );
    sent.on('error', reject);
    sent.end(bytes);
  });
}

function bytesOf(body: Ask['body']): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

/** The JSON object of an answer. */
export const bodyOf = (answer: Answer): Record<string, unknown> =>
  JSON.parse(answer.text) as Record<string, unknown>;

/** Headers that differ from one answer to the next. */
const changing = /^(?:date|x-ratelimit-(?:remaining|reset))$/i;

/** An answer without what differs between two that are alike: request id and date. */
export function alike({ status, rawHeaders, headers, text }: Answer): unknown {
  const requestId = String(headers['x-request-id']);
  const shown = rawHeaders.map((value, i) =>
    changing.test(rawHeaders[i - 1] ?? '') ? '…' : value,
  );
  return JSON.parse(
    JSON.stringify({ status, headers: shown, text }).replaceAll(requestId, '…'),
  ) as unknown;
}

/** Writes bytes as they are and reads until the server closes, or until `quietMs` of silence. */
export function exchange(
  port: number,
  pieces: readonly (string | Buffer)[],
  quietMs = 10_000,
): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect({ port, host: '127.0.0.1' });
    const end = (): void => {
      socket.destroy();
      resolve(received);
    };
    socket.setTimeout(quietMs, end);
    socket.on('data', (chunk) => (received += chunk.toString('latin1')));
    socket.on('close', end);
    // A server may close before it has read everything; what it answered still counts.
    socket.on('error', () => undefined);
    for (const piece of pieces) socket.write(piece);
  });
}

/** Status lines of what a connection carried. */
export const statusesOf = (received: string): number[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
