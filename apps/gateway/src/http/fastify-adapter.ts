import {
  maxHeaderSize,
  METHODS,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { finished } from 'node:stream/promises';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { mountPoints, newId, Problem } from '@postroom/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { longUploads } from '../imports/index.js';
import { drainOnClose } from './drain.js';
import { newEdgeState } from './edge-state.js';
import { renderProblem, styleOfPath } from './render-problem.js';

/** How long a client may take over its headers, and over a whole request. */
const headersTimeoutMs = 15_000;
const requestTimeoutMs = 60_000;

const json = 'application/json; charset=utf-8';
const closing = /\bclose\b/i;
/** How long a refused body is let pass. */
const lingerMs = 5_000;
const ownRequestId = /^[A-Za-z0-9._-]{1,64}$/;

/** Nest refuses an empty parameter before any guard: such an address goes where no operation is. */
const emptySegment = new RegExp(`^(${mountPoints.key}|${mountPoints.member})/[^?]*?/(?:[/?]|$)`);

/**
 * The router reads no address with a percent sign that begins nothing, or with bytes that are no UTF-8:
 * such a segment is a text like any other, and the id in its place one that nothing has.
 */
function readable(url: string): string {
  const [path = '', ...query] = url.split('?');
  if (isDecodable(path)) return url;
  const segments = path
    .split('/')
    .map((one) => (isDecodable(one) ? one : one.replaceAll('%', '%25')));
  return [segments.join('/'), ...query].join('?');
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** A client's own request id when it is one, else a new one. */
function requestIdOf({ headers }: { headers: IncomingMessage['headers'] }): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && ownRequestId.test(given) ? given : newId('req');
}

/**
 * Fastify as the gateway needs it: it leaves bodies alone, which are read once the guards have let
 * the request in, and what Fastify or Node refuse before any filter of Nest is shaped like our own
 * errors.
 */
export function fastifyAdapter(trustedProxies: readonly string[] = []): FastifyAdapter {
  const adapter = new FastifyAdapter({
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    genReqId: requestIdOf,
    rewriteUrl: ({ url = '/' }) => emptySegment.exec(url)?.[1] ?? readable(url),
    requestTimeout: requestTimeoutMs,
    // A long id is an unknown id, like any other that is none, be it of percent signs alone.
    routerOptions: { maxParamLength: 3 * maxHeaderSize },
    // It would bound the drain too, whose time is its own.
    pluginTimeout: 0,
    // The drain answers in our own words.
    return503OnClosing: false,
    clientErrorHandler: answerBrokenRequest,
    http: { requireHostHeader: false, headersTimeout: headersTimeoutMs },
  });
  const fastify = adapter.getInstance();
  // Without a body in Fastify's eyes, no method has a Content-Type that it could refuse before us;
  // and a method that it does not know is refused like any other.
  for (const method of METHODS) {
    if (method !== 'CONNECT') fastify.addHttpMethod(method, { overrideExisting: true });
  }
  fastify.decorateRequest('edge');
  fastify.addHook('onRequest', async (request, reply) => {
    request.edge = newEdgeState();
    // Answers hold mail and secrets, and nothing of them is a page.
    reply.headers({
      'x-request-id': request.id,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      throw new Problem('INVALID_REQUEST');
    }
  });
  fastify.addHook('onSend', hearOut);
  drainOnClose(fastify);
  refuseUnknownExpectations(fastify.server);
  return adapter;
}

/**
 * A connection that ends with its answer is closed while the client still sends a body that was refused
 * unread: it then learns of a broken pipe, not of the refusal. So the rest is let pass first, for a while.
 */
function hearOut<T>(
  { raw }: FastifyRequest,
  _reply: FastifyReply,
  payload: T,
  done: (error: null, payload: T) => void,
): void {
  const answer = (): void => done(null, payload);
  if (raw.complete || raw.destroyed || !closing.test(raw.headers.connection ?? '')) {
    answer();
    return;
  }
  raw.resume();
  finished(raw, { signal: AbortSignal.timeout(lingerMs) }).then(answer, answer);
}

/** The refusal of what cannot be read as a request; the body is the JSON text. */
function refusal(url: string, requestId: string) {
  const problem = new Problem('INVALID_REQUEST');
  const { body, ...rest } = renderProblem(problem, styleOfPath(url), requestId);
  return { ...rest, body: JSON.stringify(body) };
}

/** `Expect` with anything but 100-continue (RFC 9110 §10.1.1): Node would answer an empty 417. */
function refuseUnknownExpectations(server: Server): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const requestId = requestIdOf(request);
    const { body } = refusal(request.url ?? '', requestId);
    response.writeHead(417, { 'content-type': json, 'x-request-id': requestId });
    response.end(body);
  });
}

const statusByCode: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** What Node cannot parse has no request yet: the answer is written to the socket by hand. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  // Node asks of each connection once a request; a streamed body has a limit of its own.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && longUploads.has(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = newId('req');
  const { body } = refusal('', requestId);
  socket.end(
    `HTTP/1.1 ${statusByCode[error.code ?? ''] ?? '400 Bad Request'}\r\n` +
      `Content-Type: ${json}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
  );
}
