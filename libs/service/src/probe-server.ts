import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Health, Probe } from './health.js';
import type { Metrics } from './metrics.js';

/** The address, and the sources of the answers. */
export interface ProbeServerOptions {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly health: Health;
  readonly metrics: Metrics;
}

/** A listener of probes. */
export interface ProbeServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves `/healthz`, `/readyz`, `/startupz` and `/metrics` on a port of their own, which no user reaches, for
 * processes that serve no HTTP and for those whose HTTP may be busy.
 */
export async function serveProbes(options: ProbeServerOptions): Promise<ProbeServer> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0] ?? '';
    answer(path, options, response).catch((error: unknown) => response.destroy(asError(error)));
  });
  await listen(server, options);
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : options.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  path: string,
  { health, metrics }: ProbeServerOptions,
  response: ServerResponse,
): Promise<void> {
  if (path === '/metrics') {
    const { contentType, body } = await metrics.expose();
    response.writeHead(200, { 'content-type': contentType }).end(body);
    return;
  }
  const probe = probeOf(path, health);
  const json = { 'content-type': 'application/json; charset=utf-8' };
  if (probe) response.writeHead(probe.status, json).end(JSON.stringify(probe.body));
  else response.writeHead(404, json).end('{}');
}

function probeOf(path: string, health: Health): Probe | null {
  if (path === '/healthz') return health.healthz();
  if (path === '/readyz') return health.readyz();
  if (path === '/startupz') return health.startupz();
  return null;
}

function listen(server: Server, { port, host }: ProbeServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
}

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));
