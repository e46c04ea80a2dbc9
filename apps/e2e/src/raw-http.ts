import { connect, type Socket } from 'node:net';
import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from './http.js';
import type { Product } from './product.js';

const quietTimeoutMs = 10_000;

/** The action once the bytes are written. */
type Then = 'wait' | 'half-close' | 'abort';

/**
 * Writes raw bytes to the HTTP port and reads until the other side closes, for requests that no HTTP
 * client would make. Send `Connection: close` where an answer is expected.
 */
export function exchange(
  product: Product,
  bytes: string | Buffer | readonly (string | Buffer)[],
  then: Then = 'wait',
): Promise<Answer[]> {
  const { hostname, port } = new URL(product.baseUrl);
  return new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.setTimeout(quietTimeoutMs, () => {
      const got = Buffer.concat(received).toString('latin1');
      socket.destroy(new Error(`No end of the answer in time; so far: ${got.slice(0, 500)}`));
    });
    let failure: Error | undefined;
    socket.on('data', (chunk) => received.push(chunk));
    // A server may close before it has read everything; what it answered still counts.
    socket.on('error', (error) => (failure = error));
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      const answers = parseAnswers(Buffer.concat(received));
      if (answers.length === 0 && failure && then === 'wait') reject(failure);
      else resolve(answers);
    });
    socket.on('connect', () => write(socket, bytes, then));
  });
}

function write(
  socket: Socket,
  bytes: string | Buffer | readonly (string | Buffer)[],
  then: Then,
): void {
  const pieces = typeof bytes === 'string' || Buffer.isBuffer(bytes) ? [bytes] : bytes;
  for (const piece of pieces) socket.write(piece);
  if (then === 'half-close') socket.end();
  // The bytes have to be on their way before the connection is torn down.
  if (then === 'abort') setTimeout(() => socket.resetAndDestroy(), 50);
}

/** Parses the answers of a connection, one after the other (RFC 9112). */
function parseAnswers(bytes: Buffer): Answer[] {
  const answers: Answer[] = [];
  for (let at = 0; at < bytes.length;) {
    const headEnd = bytes.indexOf('\r\n\r\n', at);
    if (headEnd < 0) break;
    const [statusLine = '', ...lines] = bytes.toString('latin1', at, headEnd).split('\r\n');
    const status = Number(statusLine.split(' ')[1]);
    const headers: IncomingHttpHeaders = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const rest = bytes.subarray(headEnd + 4);
    const { body, length } = bodyOf(rest, status < 200 ? { 'content-length': '0' } : headers);
    answers.push({ status, headers, text: body.toString('utf8') });
    at = headEnd + 4 + length;
  }
  return answers;
}

/** The body at the start of the remaining bytes, and its length there. */
function bodyOf(rest: Buffer, headers: IncomingHttpHeaders): { body: Buffer; length: number } {
  if (headers['transfer-encoding'] !== 'chunked') {
    const length = Number(headers['content-length'] ?? rest.length);
    return { body: rest.subarray(0, length), length };
  }
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = rest.indexOf('\r\n', at);
    const size = Number.parseInt(rest.toString('latin1', at, lineEnd), 16);
    const end = lineEnd + 2 + size;
    if (size === 0) return { body: Buffer.concat(chunks), length: end + 2 };
    if (lineEnd < 0 || end > rest.length) throw new Error('A chunked answer that is cut off.');
    chunks.push(rest.subarray(lineEnd + 2, end));
    at = end + 2;
  }
}

/** A request in bytes: start line, headers, body, for {@link exchange}. */
export function rawRequest(
  startLine: string,
  headers: readonly string[],
  body: string | Buffer = '',
): Buffer {
  const head = Buffer.from([startLine, ...headers, '', ''].join('\r\n'), 'latin1');
  return Buffer.concat([head, Buffer.from(body)]);
}
