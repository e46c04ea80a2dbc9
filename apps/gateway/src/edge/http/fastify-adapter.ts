import { maxHeaderSize, METHODS } from 'node:http';
import { finished } from 'node:stream/promises';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { mountPoints, Problem } from '@postroom/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { answerBrokenRequest, refuseUnknownExpectations } from './broken-requests.js';
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

/** A client that reads nothing of its answer for so long is disconnected. */
const stallLimitMs = 20_000;

/**
 * Breaks off answers that their client does not read: what waits for it takes memory, or holds a
 * stream open. An answer of any length is sent in pieces, so that it can be told: each time that the
 * client has taken what waited, the time begins anew; one of which nothing waits is left alone.
 */
export function endStalledAnswers(fastify: FastifyInstance, limitMs = stallLimitMs): void {
  fastify.addHook('onSend', (_request, { raw }, payload, done) => {
    const timer = setTimeout(() => {
      if (raw.writableLength > 0) raw.destroy();
      else timer.refresh();
    }, limitMs).unref();
    raw.on('drain', () => timer.refresh());
    raw.once('close', () => clearTimeout(timer));
    done(null, payload);
  });
}

/** Time limit for requests in flight once the process is asked to stop. */
export const drainMaxMs = 15_000;
/** After that, requests that still wait for a service are answered with 503. */
export const giveUpMs = 12_000;

/**
 * Graceful shutdown: accepts no new connection, refuses new requests on open ones, waits until every
 * request in flight is answered, then closes all connections. Fastify's own options either cut off
 * requests in flight or wait for idle sockets.
 */
export function drainOnClose(fastify: FastifyInstance): void {
  let inFlight = 0;
  let drained: (() => void) | undefined;
  let draining = false;
  fastify.addHook('onRequest', (_request, reply, done) => {
    inFlight++;
    reply.raw.once('close', () => {
      if (--inFlight === 0) drained?.();
    });
    if (draining) done(new Problem('SERVICE_UNAVAILABLE'));
    else done();
  });
  fastify.addHook('preClose', async () => {
    const { server } = fastify;
    draining = true;
    server.close();
    if (inFlight > 0) {
      await new Promise<void>((resolve) => {
        drained = resolve;
        setTimeout(resolve, drainMaxMs).unref();
      });
    }
    server.closeAllConnections();
  });
}
