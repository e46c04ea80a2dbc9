import { mountPoints } from '@postroom/contracts';
import { beginRequest, type RequestSpan } from '@postroom/tracing';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { headerOf } from './request-state.js';

/** Begins the trace of each request, in which everything from the guards on is done, and ends it with the answer. */
export function traceRequests(fastify: FastifyInstance): void {
  const spans = new WeakMap<FastifyRequest, RequestSpan>();
  fastify.addHook('onRequest', (request, _reply, done) => {
    const span = beginRequest(headerOf(request, 'traceparent'));
    if (span) spans.set(request, span);
    done();
  });
  // The last hook before the guards: reading a body has lost what was set before it.
  fastify.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request);
    if (span) span.runInTrace(done);
    else done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request);
    if (span) end(span, request, reply);
    done();
  });
}

/** The path as it is declared: that of the request may hold an address. */
function end(span: RequestSpan, request: FastifyRequest, { statusCode }: FastifyReply): void {
  const { operation, authorization } = request.state;
  const route = operation && mountPoints[operation.audience] + operation.path;
  const attributes = {
    'http.request.method': request.method,
    'http.response.status_code': statusCode,
    'postroom.request_id': request.id,
    ...(operation && { 'http.route': route ?? '', 'postroom.operation': operation.id }),
    ...(authorization && { 'postroom.workspace': authorization.caller.tenantId }),
  };
  span.endSpan(
    route ? `${request.method} ${route}` : request.method,
    attributes,
    statusCode >= 500,
  );
}
