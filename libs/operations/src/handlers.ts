import { Controller, Inject, type Type } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import type { Operation } from '@postroom/contracts';
import type {
  AnyHandler,
  HandlerOf,
  PreparingHandlerOf,
  Reading,
  ReadTarget,
  Write,
  Writing,
} from './context.js';

type Family = Readonly<Record<string, Operation>>;

/**
 * The handler of an operation. A write runs in one transaction and has no effect beside it; it starts only after
 * the claim has found no recorded reply. What is slow or reaches outside the database (a password's hash, another
 * service) is done in `prepare`, with no transaction open and also for a repeat; `prepare` answers the write.
 */
export type AnyHandlerOf<O extends Operation> = O['effect'] extends 'write' | 'destroy'
  ? HandlerOf<O> | { readonly prepare: PreparingHandlerOf<O> }
  : HandlerOf<O>;

/** A handler for each operation of a family, by its name. */
export type HandlersOf<F extends Family> = { readonly [K in keyof F]: AnyHandlerOf<F[K]> };

type InstanceOf<T> = T extends abstract new (...args: never[]) => infer I ? I : never;

type Injectable = abstract new (...args: never[]) => object;

type Implementation = Readonly<Record<string, HandlerOf<Operation> | Preparing>>;

interface Preparing {
  readonly prepare: (context: Reading, input: object) => Promise<Write>;
}

/** Options of all writes of a family. */
export interface FamilyOptions {
  /**
   * Reads the resource that they change, to show what a write that waits for approval would change
   * (docs/adr/0042); a family without one shows the answer of the write.
   */
  readonly target?: ReadTarget;
}

/**
 * The handlers of a family, as a Nest controller. A missing handler, one of another input or output,
 * and an event that the operation does not list do not compile.
 *
 * @example handlers(conversations, { archive: async (context, { id }) => … })
 */
export function handlers<const F extends Family>(
  family: F,
  all: HandlersOf<F>,
  options?: FamilyOptions,
): Type<object>;
/**
 * Handlers that inject providers of Nest.
 *
 * @example handlers(keys, [MailboxGrants], (grants) => ({ create: { prepare: … }, … }))
 */
export function handlers<const F extends Family, const T extends readonly Injectable[]>(
  family: F,
  inject: T,
  create: (...injected: { [K in keyof T]: InstanceOf<T[K]> }) => HandlersOf<F>,
  options?: FamilyOptions,
): Type<object>;
export function handlers(
  family: Family,
  given: object,
  last?: ((...injected: never[]) => object) | FamilyOptions,
  options?: FamilyOptions,
): Type<object> {
  const create = typeof last === 'function' ? last : () => given;
  const { target } = (typeof last === 'function' ? options : last) ?? {};
  class FamilyHandlers {
    readonly all: Implementation;

    constructor(...injected: unknown[]) {
      this.all = create(...(injected as never[])) as Implementation;
    }
  }
  const inject = Array.isArray(given) ? (given as readonly Injectable[]) : [];
  inject.forEach((token, index) => Inject(token)(FamilyHandlers, undefined, index));
  for (const [name, operation] of Object.entries(family)) {
    Object.defineProperty(FamilyHandlers, 'name', { value: `${operation.family}Handlers` });
    addMethod(FamilyHandlers.prototype, name, operation, target);
  }
  Controller()(FamilyHandlers);
  return FamilyHandlers;
}

/**
 * A handler as the engine calls it, with what a read has; that of a write answers what is to be done
 * in its transaction.
 */
export const callable = (
  operation: Operation,
  handler: Implementation[string],
  target?: ReadTarget,
): AnyHandler => {
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

function addMethod(
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
