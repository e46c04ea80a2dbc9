import type { FastifyInstance } from 'fastify';

/** How long a client may read nothing of what waits for it. */
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
