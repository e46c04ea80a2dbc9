import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { newId, Problem, type ProblemCode } from '@postroom/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { drainOnClose } from './drain.js';
import { newEdgeState } from './edge-state.js';
import { renderProblem } from './render-problem.js';

/** How long a client may take over its headers, and over a whole request. */
const headersTimeoutMs = 15_000;
const requestTimeoutMs = 60_000;

const ownRequestId = /^[A-Za-z0-9._-]{1,64}$/;

/** A client's own request id when it is one, else a new one. */
function requestIdOf({ headers }: { headers: IncomingMessage['headers'] }): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && ownRequestId.test(given) ? given : newId('req');
}

/**
 * Fastify as the gateway needs it: bodies pass through unread until the guards have let the request
 * in, and what Fastify or Node refuse before any filter of Nest is shaped like our own errors.
 */
export function fastifyAdapter(): FastifyAdapter {
  const adapter = new FastifyAdapter({
    genReqId: requestIdOf,
    requestTimeout: requestTimeoutMs,
    routerOptions: { maxParamLength: 500 },
    frameworkErrors: (_error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      const { status, headers, body } = refusal('INVALID_REQUEST', request.id);
      void reply
        .code(status)
        .headers({ ...headers, 'x-request-id': request.id })
        .type('application/json; charset=utf-8')
        .send(JSON.stringify(body));
    },
    clientErrorHandler: answerBrokenRequest,
    http: { requireHostHeader: false, headersTimeout: headersTimeoutMs },
  });
  const fastify = adapter.getInstance();
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, payload, done) => {
    done(null, payload);
  });
  fastify.decorateRequest('edge');
  fastify.addHook('onRequest', async (request, reply) => {
    request.edge = newEdgeState();
    reply.header('x-request-id', request.id);
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      throw new Problem('INVALID_REQUEST');
    }
  });
  drainOnClose(fastify);
  refuseUnknownExpectations(fastify.server);
  return adapter;
}

const refusal = (code: ProblemCode, requestId: string) =>
  renderProblem(new Problem(code), 'text', requestId);

/** `Expect` with anything but 100-continue (RFC 9110 §10.1.1): Node would answer an empty 417. */
function refuseUnknownExpectations(server: Server): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const requestId = requestIdOf(request);
    const { body } = refusal('INVALID_REQUEST', requestId);
    response.writeHead(417, {
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': requestId,
    });
    response.end(JSON.stringify(body));
  });
}

const statusByCode: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** What Node cannot parse has no request yet: the answer is written to the socket by hand. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = newId('req');
  const body = JSON.stringify(refusal('INVALID_REQUEST', requestId).body);
  socket.end(
    `HTTP/1.1 ${statusByCode[error.code ?? ''] ?? '400 Bad Request'}\r\n` +
      'Content-Type: application/json; charset=utf-8\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
  );
}
