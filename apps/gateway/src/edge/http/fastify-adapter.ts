import { maxHeaderSize, METHODS } from 'node:http';
import { finished } from 'node:stream/promises';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { mountPoints, Problem } from '@postroom/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerBrokenRequest, refuseUnknownExpectations } from './broken-requests.js';
import { drainOnClose, endStalledAnswers } from './connections.js';
import { newRequestState, requestIdOf } from './request-state.js';

/** Time limits for a client to send its headers, and a whole request. */
const headersTimeoutMs = 15_000;
const requestTimeoutMs = 60_000;

const closing = /\bclose\b/i;
/** The rest of a refused body is read for so long. */
const discardBodyMs = 5_000;

/** Nest refuses an empty path parameter before any guard runs: such a URL is made an unknown route. */
const emptySegment = new RegExp(`^(${mountPoints.key}|${mountPoints.member})/[^?]*?/(?:[/?]|$)`);

/**
 * Escapes percent signs in segments that cannot be decoded, which the router would refuse: such a
 * segment is then an id that nothing has.
 */
function decodable(url: string): string {
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

/**
 * Fastify as the gateway needs it. It does not parse bodies, which are read after the guards; and what
 * Fastify or Node refuse before Nest's filters has the form of our own errors.
 */
export function fastifyAdapter(
  trustedProxies: readonly string[] = [],
  connectionsMax = Infinity,
): FastifyAdapter {
  const adapter = new FastifyAdapter({
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    genReqId: requestIdOf,
    rewriteUrl: ({ url = '/' }) => emptySegment.exec(url)?.[1] ?? decodable(url),
    requestTimeout: requestTimeoutMs,
    // A long id is an unknown id and no bad request, even if every character of it is escaped.
    routerOptions: { maxParamLength: 3 * maxHeaderSize },
    // It would limit the drain too, which has a limit of its own.
    pluginTimeout: 0,
    // The drain answers with our own error.
    return503OnClosing: false,
    clientErrorHandler: answerBrokenRequest,
    http: { requireHostHeader: false, headersTimeout: headersTimeoutMs },
  });
  const fastify = adapter.getInstance();
  // Registered as methods without a body, none is refused by Fastify for its Content-Type; unknown
  // methods reach the guards like any other request.
  for (const method of METHODS) {
    if (method !== 'CONNECT') fastify.addHttpMethod(method, { overrideExisting: true });
  }
  fastify.decorateRequest('state');
  fastify.addHook('onRequest', async (request, reply) => {
    request.state = newRequestState();
    // Answers hold mail and secrets, and none of them is a page.
    reply.headers({
      'x-request-id': request.id,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      throw new Problem('INVALID_REQUEST');
    }
  });
  fastify.addHook('onSend', discardRestOfBody);
  fastify.server.maxConnections = connectionsMax;
  endStalledAnswers(fastify);
  drainOnClose(fastify);
  refuseUnknownExpectations(fastify.server);
  return adapter;
}

/**
 * Reads and discards the rest of a refused body for some seconds before the answer, if the connection
 * is to be closed: otherwise a client that is still sending would see a broken pipe and no refusal.
 */
function discardRestOfBody<T>(
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
  finished(raw, { signal: AbortSignal.timeout(discardBodyMs) }).then(answer, answer);
}
