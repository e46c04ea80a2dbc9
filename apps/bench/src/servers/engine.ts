import { callerKey } from '@postroom/access';
import { InProcessBus } from '@postroom/bus';
import { newId, operationsById, recordOf, serviceNames, type Operation } from '@postroom/contracts';
import { OperationClient } from '@postroom/operations';
import { fastify, type FastifyReply, type FastifyRequest } from 'fastify';
import { authenticate, listen, poolOf } from './bare.js';
import { serve } from './serve.js';
import { startMail } from './start-product.js';

/**
 * The twin's HTTP layer (Fastify, key look-up, no checks) in front of the product's bus, engine and
 * handlers. It separates their cost from the gateway's.
 */
serve(async (setup) => {
  const { databaseUrls, callerKeys, facts } = setup;
  const bus = new InProcessBus();
  // Audit records are dropped; in the product the gateway seals them.
  await bus.subscribe('audit', ['audit'], () => Promise.resolve());
  const mail = await startMail(setup, bus);
  const access = poolOf(databaseUrls.access, 'access');
  const keys = recordOf(serviceNames, (name) => callerKey(Buffer.from(callerKeys[name], 'base64')));
  const operations = new OperationClient(bus, keys);
  const pass = (operation: Operation) => async (request: FastifyRequest, reply: FastifyReply) => {
    if (!(await authenticate(access, request))) return reply.code(401).send();
    const { query, params, body } = request;
    const input = Object.assign({ limit: 25 }, query, params, body);
    const idempotencyKey = request.headers['idempotency-key'];
    const answer = await operations.call(operation, facts.caller, input, {
      requestId: newId('req'),
      ...(typeof idempotencyKey === 'string' && { idempotencyKey }),
    });
    return reply.code(answer.status).type('application/json; charset=utf-8').send(answer.body);
  };
  const app = fastify();
  for (const id of ['conversations.list', 'conversations.comment']) {
    const operation = operationsById.get(id);
    if (operation)
      app.route({
        method: operation.method,
        url: `/public${operation.path}`,
        handler: pass(operation),
      });
  }
  const port = await listen(app);
  return {
    port,
    async close() {
      await app.close();
      await mail.close();
      await access.end();
    },
  };
});
