import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Health } from './health.js';
import { Metrics } from './metrics.js';
import { serveProbes, type ProbeServer } from './probe-server.js';

describe('the probes of a process', () => {
  let health: Health;
  let server: ProbeServer;

  const get = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${server.port}${path}`);

  beforeEach(async () => {
    health = new Health(['bus']);
    server = await serveProbes({ host: '127.0.0.1', port: 0, health, metrics: new Metrics() });
  });
  afterEach(() => server.close());

  it('tell readiness and liveness apart', async () => {
    expect((await get('/healthz')).status).toBe(200);
    const starting = await get('/readyz?verbose');
    expect([starting.status, await starting.json()]).toEqual([
      503,
      { status: 'unavailable', missing: [{ name: 'bus', reason: 'starting' }] },
    ]);
    expect((await get('/startupz')).status).toBe(503);
    health.ready('bus', true);
    expect((await get('/startupz')).status).toBe(200);
    health.live('bus', 'a consumer has stopped consuming');
    expect((await get('/readyz')).status).toBe(200);
    expect((await get('/healthz')).status).toBe(503);
  });

  it('expose metrics, and nothing else', async () => {
    const metrics = await get('/metrics');
    expect(metrics.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(await metrics.text()).toContain('postroom_operation_duration_seconds');
    expect((await get('/')).status).toBe(404);
  });

  it('are closed while a client is connected, and fail on a port that is in use', async () => {
    await get('/healthz');
    const { port } = server;
    const metrics = new Metrics();
    await expect(serveProbes({ host: '127.0.0.1', port, health, metrics })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    await server.close();
    await expect(get('/healthz')).rejects.toThrow();
  });
});
