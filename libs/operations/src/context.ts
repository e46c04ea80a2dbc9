import type { Caller } from '@postroom/access';
import type {
  EventActor,
  EventData,
  EventPrevious,
  EventResource,
  EventSource,
  EventsOf,
  EventType,
  InputOf,
  OutputOf,
  Operation,
} from '@postroom/contracts';
import type { Statement } from '@postroom/persistence';
import type { EntityManager } from 'typeorm';

type Rows = <R extends object>(statement: Statement<R>, values: readonly unknown[]) => Promise<R[]>;

/** What a read has: the caller and prepared statements, no transaction. */
export interface Reading {
  readonly caller: Caller;
  readonly tenantId: string;
  readonly requestId: string;
  /** Epoch milliseconds; past it nobody waits for the answer. */
  readonly deadlineMs: number;
  /** Runs a statement whose first parameter is the tenant; it is put in front of `values`. */
  readonly rows: Rows;
  /** Reads entities in a transaction of its own: for what is not hot. */
  readonly entities: <T>(read: (manager: EntityManager) => Promise<T>) => Promise<T>;
}

/**
 * An event to be emitted, with the payload that its type declares; the rest of the envelope is the
 * transaction's to know.
 */
export type EmittedEvent<E extends EventType = EventType> = E extends EventType
  ? {
      readonly type: E;
      readonly resource: EventResource<E>;
      readonly sequence: number;
      readonly data: EventData<E>;
      readonly previous?: EventPrevious<E>;
    }
  : never;

/** What a change has, whoever asks for it: one transaction under one tenant. */
export interface Changing<E extends EventType = EventType> {
  readonly tenantId: string;
  /** The time of this change, one for all that it writes. */
  readonly at: Date;
  readonly manager: EntityManager;
  /** Runs a statement in the transaction; the tenant is put in front of `values`. */
  readonly rows: Rows;
  /** Puts an event in the outbox, in the commit of the change. */
  emit(event: EmittedEvent<E>): void;
  /**
   * The same where the change must stand even if the event cannot: it is put in the outbox in a
   * savepoint, with what `beside` sends for it, all in one trip.
   * @returns whether it is in the commit; if not it never comes
   */
  emitInSavepoint(
    event: EmittedEvent<E>,
    beside: () => readonly Promise<unknown>[],
  ): Promise<boolean>;
}

/** What a write has: all a read has, in a transaction, and what it may say beside its answer. */
interface Emitting<E extends EventType> extends Changing<E>, Reading {
  /** Puts an event in the outbox, in the commit of the change. */
  // As a property: a method's parameters may vary both ways, and a context of another operation would do.
  readonly emit: (event: EmittedEvent<E>) => void;
  /** Names what was changed, for the audit record; the input's `id` when it is not called. */
  readonly subject: (id: string) => void;
  /**
   * Says what a field named before this change: to name it again is no fault, though it has gone.
   * Whatever else the input names and the workspace does not have is refused when the handler is done.
   *
   * @returns what the field names again, and is gone
   */
  readonly allowUnknown: (field: string, before: readonly (string | null)[]) => readonly string[];
  /** Sets a header of the HTTP answer. */
  readonly header: (name: string, value: string) => void;
}

/** What the write of an operation has; without an operation, what every write has, which may emit nothing. */
export type Writing<R extends Operation = Operation<object, object, never>> = Emitting<EventsOf<R>>;

/** What a send has: it commits each of its steps itself, so that no transaction is open meanwhile. */
export interface Sending extends Reading {
  /** The operation's id. */
  readonly operation: string;
  /** The request on the bus; a redelivery carries the same one. */
  readonly messageId: string;
  readonly idempotencyKey: string;
  /** Sets a header of the HTTP answer. */
  readonly header: (name: string, value: string) => void;
}

/** The first argument of an operation's handler. */
export type ContextOf<R extends Operation> = R['effect'] extends 'read' | 'intake'
  ? Reading
  : R['effect'] extends 'send'
    ? Sending
    : Writing<R>;

/** The handler of an operation. */
export type HandlerOf<R extends Operation> = (
  context: ContextOf<R>,
  input: InputOf<R>,
) => Promise<OutputOf<R>>;

/**
 * The handler of an operation whose change needs something slow first (a password's hash, another service's
 * answer): it does that with no transaction open, and answers what to do in one.
 */
export type PreparingHandlerOf<R extends Operation> = (
  context: Reading,
  input: InputOf<R>,
) => Promise<(context: Writing<R>) => Promise<OutputOf<R>>>;

/** What a write does in its transaction. */
export type Write = (context: Writing) => Promise<object>;

/**
 * A handler as the engine calls it: its types were checked where it was declared. That of a write
 * answers what is to be done in the transaction ({@link Write}).
 */
export type AnyHandler = (context: Reading | Sending, input: object) => Promise<unknown>;

/** In whose name a change is made. */
export interface Origin {
  readonly tenantId: string;
  readonly actor: EventActor;
  readonly source: EventSource;
}
