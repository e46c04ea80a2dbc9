import 'reflect-metadata';
import { GuardsConsumer } from '@nestjs/core/internal';
import { operationsById, type Operation } from '@postroom/contracts';
import { serve } from './serve.js';
import { startProduct } from './start-product.js';

/** The state that the guards add to a request for the later steps. */
interface Guarded {
  readonly state: { operation: Operation | null; authorization: object | null };
}

/**
 * The product without steps 1 to 8 of a request: Nest runs no guard, and the request is given what
 * the guards would have found. Everything after them is the product's own.
 */
serve((setup) => {
  const { caller } = setup.facts;
  const tenant = { id: caller.tenantId, name: 'bench' };
  const authorization = { caller, tenant, sendOpen: true };
  const operation = operationsById.get('conversations.list') ?? null;
  const letIn = (_guards: unknown, [request]: readonly [Guarded]): Promise<boolean> => {
    request.state.operation = operation;
    request.state.authorization = authorization;
    return Promise.resolve(true);
  };
  Reflect.set(GuardsConsumer.prototype, 'tryActivate', letIn);
  return startProduct(setup);
});
