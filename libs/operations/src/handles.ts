import type { Operation } from '@postroom/contracts';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import type { HandlerOf, PreparingHandlerOf } from './context.js';

/** What a handler's decorator tells the operation server, besides the operation. */
export interface HandlerExtras {
  readonly prepares?: boolean;
}

/**
 * Marks a method as the handler of an operation. It compiles only on a method that takes the operation's context
 * and input and answers its output; an event that the operation does not list does not compile inside.
 */
export function Handles<R extends Operation>(operation: R) {
  return <H extends HandlerOf<R>>(
    prototype: object,
    name: string,
    descriptor: TypedPropertyDescriptor<H>,
  ): void => {
    mark(operation, {}, prototype, name, descriptor);
  };
}

/**
 * Marks a method as the handler of an operation that prepares its change: what the method does is done before
 * the transaction, and what it answers is done in it. It prepares again for a repeat that is then
 * answered from what was recorded.
 */
export function Prepares<R extends Operation>(operation: R) {
  return <H extends PreparingHandlerOf<R>>(
    prototype: object,
    name: string,
    descriptor: TypedPropertyDescriptor<H>,
  ): void => {
    mark(operation, { prepares: true }, prototype, name, descriptor);
  };
}

function mark(
  { id }: Operation,
  extras: HandlerExtras,
  prototype: object,
  name: string,
  descriptor: PropertyDescriptor,
): void {
  Ctx()(prototype, name, 0);
  Payload()(prototype, name, 1);
  MessagePattern(id, { ...extras })(prototype, name, descriptor);
}
