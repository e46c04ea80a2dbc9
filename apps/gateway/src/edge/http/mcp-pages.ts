import { mcp, mountPoints } from '@postroom/contracts';
import type { FastifyInstance } from 'fastify';
import { mcpPath, oauthPaths } from '../oauth/paths.js';

/** The tools, and what a client asks on its way to them; the page of consent is for people. */
const { authorize: _, ...askedByClients } = oauthPaths;
const paths = new Set<string>([
  mountPoints.key + mcp.handle.path,
  mcpPath,
  ...Object.values(askedByClients),
]);

/** Headers that a client of MCP sends, and those of answers that it reads. */
const sent =
  'Accept, Authorization, Content-Type, Idempotency-Key, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, ' +
  'Mcp-Name, Mcp-Session-Id, X-Api-Key, X-MCP-Readonly, X-MCP-Tools, X-Request-Id';
const read =
  'Retry-After, WWW-Authenticate, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id';

const preflight = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': sent,
  'access-control-max-age': '600',
};

/**
 * Lets pages of other origins that the operator allows (`MCP_ALLOWED_ORIGINS`) use MCP from a browser (CORS). What
 * a page of any other origin asks is refused by the service; without these headers its browser reads nothing.
 */
export function allowMcpPages(fastify: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const allowed = new Set(origins.map((origin) => URL.parse(origin)?.origin ?? origin));
  fastify.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    if (!paths.has(request.url.split('?', 1)[0] ?? '') || origin === undefined) return;
    reply.header('vary', 'Origin');
    if (!allowed.has(origin)) return;
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': read,
    });
    const isPreflight =
      request.method === 'OPTIONS' &&
      request.headers['access-control-request-method'] !== undefined;
    if (isPreflight) await reply.code(204).headers(preflight).send();
  });
}
