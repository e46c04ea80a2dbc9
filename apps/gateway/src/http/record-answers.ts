import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { InFlight } from '@postroom/concurrency';
import { mountPoints, table } from '@postroom/contracts';
import type { Log, Metrics } from '@postroom/service';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { RefusedWrites } from '../me/index.js';
import { LastUse } from './last-use.js';
import { RefusalLog } from './refusal-log.js';

/**
 * Records metrics, refusals and last use after each answer.
 * @returns a function that waits until all of them are written
 */
export function recordAnswers(
  app: NestFastifyApplication,
  fastify: FastifyInstance,
  metrics: Metrics,
  log: Log,
): () => Promise<void> {
  const ids = table.map((operation) => operation.id);
  const recordOperation = metrics.operations('gateway', ids);
  const refusals = app.get(RefusalLog);
  const refused = app.get(RefusedWrites);
  const lastUse = app.get(LastUse);
  const record = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { operation, startedMs, authorization, problem } = request.state;
    recordOperation(operation?.id ?? 'unknown', reply.statusCode, performance.now() - startedMs);
    const route = operation ? mountPoints[operation.audience] + operation.path : 'unknown';
    await refusals.record(request, route);
    if (operation && authorization && problem) {
      await refused.note({ operation, ...authorization, problem, requestId: request.id });
    }
    if (authorization && problem?.code !== 'RATE_LIMITED') await lastUse.note(authorization.caller);
  };
  const records = new InFlight();
  fastify.addHook('onResponse', (request, reply, done) => {
    done();
    records
      .track(() => record(request, reply))
      .catch((error: unknown) => {
        log.error({ err: error, requestId: request.id }, 'could not record an answer');
      });
  });
  return () => records.none();
}
