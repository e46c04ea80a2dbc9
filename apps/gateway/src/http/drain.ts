import { Problem } from '@postroom/contracts';
import type { FastifyInstance } from 'fastify';

/** How long requests in flight may take once the process is asked to stop. */
const drainMaxMs = 15_000;
/** How long services may take over them: what they have not said then, the client is told. */
export const giveUpMs = 12_000;

/**
 * On close: takes no new connection and refuses new requests on old ones, waits until every request
 * in flight is answered, then closes all connections. Fastify's own choices either cut requests in
 * flight or wait for sockets that never send one.
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
