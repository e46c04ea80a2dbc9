import { Problem } from '@postroom/contracts';
import type { FastifyInstance } from 'fastify';

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
