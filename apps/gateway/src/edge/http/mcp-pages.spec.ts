import { afterAll, describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { allowMcpPages } from './mcp-pages.js';

const origin = 'https://assistant.example';
const preflight = { 'access-control-request-method': 'POST' };

describe('pages of MCP_ALLOWED_ORIGINS', () => {
  const server = fastify();
  // An origin with a path is that of its page.
  allowMcpPages(server, ['https://other.example', `${origin}/chat`]);
  server.post('/public/mcp', (_, reply) => reply.header('x-request-id', 'r').send('{}'));
  server.post('/public/v1/send', (_, reply) => reply.send('{}'));
  afterAll(() => server.close());

  const asked = async (method: 'OPTIONS' | 'POST', url: string, headers: object) => {
    const answer = await server.inject({ method, url, headers: { ...headers } });
    const { 'access-control-allow-origin': allowed = null, vary = null } = answer.headers;
    return [answer.statusCode, allowed, vary];
  };

  it.each([
    ['POST', '/public/mcp', { origin }, [200, origin, 'Origin']],
    ['POST', '/public/mcp?x=1', { origin }, [200, origin, 'Origin']],
    ['OPTIONS', '/public/mcp', { origin, ...preflight }, [204, origin, 'Origin']],
    ['OPTIONS', '/public/mcp', { origin }, [404, origin, 'Origin']],
    ['POST', '/public/mcp', {}, [200, null, null]],
    ['POST', '/public/mcp', { origin: 'https://assistant.example.evil' }, [200, null, 'Origin']],
    ['POST', '/public/mcp', { origin: 'http://assistant.example' }, [200, null, 'Origin']],
    ['POST', '/public/mcp', { origin: 'null' }, [200, null, 'Origin']],
    ['OPTIONS', '/public/mcp', { origin: 'https://evil', ...preflight }, [404, null, 'Origin']],
    ['POST', '/public/v1/send', { origin }, [200, null, null]],
    ['OPTIONS', '/public/v1/send', { origin, ...preflight }, [404, null, null]],
  ] as const)('%s %s of %j is answered %j', async (method, url, headers, expected) => {
    expect(await asked(method, url, headers)).toEqual(expected);
  });

  it('may send the headers of the protocol and the key, and read the limits, without cookies', async () => {
    const headers = { origin, ...preflight };
    const before = await server.inject({ method: 'OPTIONS', url: '/public/mcp', headers });
    expect(before.headers).toMatchObject({ 'access-control-allow-methods': 'GET, POST' });
    const sent = String(before.headers['access-control-allow-headers']).split(', ');
    const needed = ['Content-Type', 'X-Api-Key', 'Authorization', 'MCP-Protocol-Version'];
    expect(sent).toEqual(expect.arrayContaining(needed));
    expect(before.headers).not.toHaveProperty('access-control-allow-credentials');
    const after = await server.inject({ method: 'POST', url: '/public/mcp', headers: { origin } });
    expect(after.headers['access-control-expose-headers']).toContain('Retry-After');
  });
});
