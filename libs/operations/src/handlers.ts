import {
  Catch,
  Controller,
  Inject,
  type ArgumentsHost,
  type RpcExceptionFilter,
  type Type,
} from '@nestjs/common';
import type { Operation } from '@postroom/contracts';
import { throwError, type Observable } from 'rxjs';
import type { HandlerOf, PreparingHandlerOf, ReadTarget } from './context.js';
import { addMessageHandler, type Implementation } from './message-handler.js';

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
    addMessageHandler(FamilyHandlers.prototype, name, operation, target);
  }
  Controller()(FamilyHandlers);
  return FamilyHandlers;
}

/** Lets what a handler throws reach the engine; Nest would turn it into "Internal server error". */
@Catch()
export class RethrowFilter implements RpcExceptionFilter {
  catch(error: unknown, _host: ArgumentsHost): Observable<never> {
    return throwError(() => error);
  }
}
