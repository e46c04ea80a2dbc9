import type { FastifyInstance } from 'fastify';

/** How long requests in flight may take once the process is asked to stop. */
const drainMaxMs = 15_000;

/**
 * On close: waits until every request in flight is answered (new ones get 503), then closes all
 * connections. Fastify's own choices either cut requests in flight or wait for sockets that never
 * send one.
 */
export function drainOnClose(fastify: FastifyInstance): void {
  let inFlight = 0;
  let drained: (() => void) | undefined;
  fastify.addHook('onRequest', (_request, reply, done) => {
    inFlight++;
    reply.raw.once('close', () => {
      if (--inFlight === 0) drained?.();
    });
    done();
  });
  fastify.addHook('preClose', async () => {
    const { server } = fastify;
    server.closeIdleConnections();
    if (inFlight > 0) {
      await new Promise<void>((resolve) => {
        drained = resolve;
        setTimeout(resolve, drainMaxMs).unref();
      });
    }
    server.closeAllConnections();
  });
}
