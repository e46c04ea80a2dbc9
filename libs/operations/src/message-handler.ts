import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import type { Operation } from '@postroom/contracts';
import type { EngineHandler, HandlerOf, Reading, ReadTarget, Write, Writing } from './context.js';

/** The handlers of a family by their names, once their types were checked. */
export type Implementation = Readonly<Record<string, HandlerOf<Operation> | Preparing>>;

interface Preparing {
  readonly prepare: (context: Reading, input: object) => Promise<Write>;
}

/** Adds the method of an operation, which Nest calls for its messages, to the class of a family's handlers. */
export function addMessageHandler(
  prototype: { all: Implementation },
  name: string,
  operation: Operation,
  target: ReadTarget | undefined,
): void {
  const descriptor: PropertyDescriptor = {
    value: function (this: { all: Implementation }, context: Reading, input: object) {
      return callable(operation, this.all[name] as Implementation[string], target)(context, input);
    },
  };
  Object.defineProperty(prototype, name, descriptor);
  Ctx()(prototype, name, 0);
  Payload()(prototype, name, 1);
  MessagePattern(operation.id)(prototype, name, descriptor);
}

/**
 * A handler as the engine calls it, with what a read has; that of a write answers what is to be done
 * in its transaction.
 */
export const callable = (
  operation: Operation,
  handler: Implementation[string],
  target?: ReadTarget,
): EngineHandler => {
  const readBy = (write: Write): Write =>
    target ? Object.assign((context: Writing) => write(context), { target }) : write;
  if (typeof handler !== 'function')
    return async (context, input) => readBy(await handler.prepare(context, input));
  const handle = handler as (context: object, input: object) => Promise<object>;
  const isWrite = operation.effect === 'write' || operation.effect === 'destroy';
  return isWrite
    ? async (_context, input) => readBy(async (writing) => handle(writing, input))
    : handle;
};
