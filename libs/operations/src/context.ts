import type { Caller } from '@postroom/access';
import type {
  ContainerRef,
  EventActor,
  EventData,
  EventPrevious,
  EventResource,
  EventSource,
  EventsOf,
  EventType,
  FileAnswer,
  InputOf,
  OutputOf,
  Operation,
} from '@postroom/contracts';
import type { Statement } from '@postroom/persistence';
import type { EntityManager } from 'typeorm';

type Rows = <R extends object>(statement: Statement<R>, values: readonly unknown[]) => Promise<R[]>;

/** The context of a read: the caller and prepared statements, no transaction. */
export interface Reading {
  readonly caller: Caller;
  readonly tenantId: string;
  readonly requestId: string;
  /** The request on the bus; a redelivery carries the same one. */
  readonly messageId: string;
  /** Epoch milliseconds; the caller waits no longer than that for the answer. */
  readonly deadlineMs: number;
  /** Runs a statement; the tenant is passed as its first parameter, before `values`. */
  readonly rows: Rows;
  /** Reads entities in a transaction of its own: slower than `rows`. */
  readonly entities: <T>(read: (manager: EntityManager) => Promise<T>) => Promise<T>;
}

/**
 * An event to be emitted, with the payload that its type declares; the transaction adds the rest of
 * the envelope.
 */
export type EmittedEvent<E extends EventType = EventType> = E extends EventType
  ? {
      /** Given by a handler that answers the event; made when it is not. */
      readonly id?: string;
      readonly type: E;
      readonly resource: EventResource<E>;
      readonly sequence: number;
      readonly data: EventData<E>;
      readonly previous?: EventPrevious<E>;
    }
  : never;

/** The context of any change: one transaction under one tenant. */
export interface Changing<E extends EventType = EventType> {
  readonly tenantId: string;
  /** The time of this change, the same for everything that it writes. */
  readonly at: Date;
  readonly manager: EntityManager;
  /** Runs a statement in the transaction; the tenant is passed as its first parameter. */
  readonly rows: Rows;
  /** Sends a statement with the commit, once all else is done: for one that others wait behind until then. */
  last(send: () => Promise<unknown>): void;
  /** Puts an event in the outbox, in the commit of the change. */
  emit(event: EmittedEvent<E>): void;
  /**
   * Puts an event in the outbox in a savepoint, pipelined with the statements that `beside` sends, for a
   * change that must be committed even if the event cannot be.
   *
   * @returns whether the event is part of the commit; if not, it is never published
   */
  emitInSavepoint(
    event: EmittedEvent<E>,
    beside: () => readonly Promise<unknown>[],
  ): Promise<boolean>;
}

/** The context of a write: that of a read in a transaction, and what it may state besides its answer. */
interface Emitting<E extends EventType> extends Changing<E>, Reading {
  /** Puts an event in the outbox, in the commit of the change. */
  // A property, since TypeScript compares parameters of methods both ways and would accept another operation's context.
  readonly emit: (event: EmittedEvent<E>) => void;
  /** Names what was changed, for the audit record; the input's `id` when it is not called. */
  readonly subject: (id: string) => void;
  /** Names all that was changed, where that is several: each has an audit record. */
  readonly subjects: (ids: readonly string[]) => void;
  /**
   * Says what a field named before this change: to name it again is no fault, though it has gone.
   * Whatever else the input names and the workspace does not have is refused when the handler is done.
   *
   * @returns what the field names again, and is gone
   */
  readonly allowUnknown: (field: string, before: readonly (string | null)[]) => readonly string[];
  /** Sets a header of the HTTP answer. */
  readonly header: (name: string, value: string) => void;
  /** Says that what was to be created was there already: the answer is 200 (`existing`). */
  readonly existed: () => void;
}

/** The context of an operation's write; without an operation, that of any write, which may emit nothing. */
export type Writing<R extends Operation = Operation<object, object, never>> = Emitting<EventsOf<R>>;

/** The context of a send, which commits each of its steps itself, so that no transaction stays open. */
export interface Sending extends Reading {
  /** The operation's id. */
  readonly operation: string;
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

/** The handler of an operation; of a read it may answer the bytes of its output. */
export type HandlerOf<R extends Operation> = (
  context: ContextOf<R>,
  input: InputOf<R>,
) => Promise<R['effect'] extends 'read' ? OutputOf<R> | FileAnswer : OutputOf<R>>;

/**
 * The handler of an operation whose change needs something slow first (a password's hash, another service's
 * answer): it does that with no transaction open, and answers what to do in one.
 */
export type PreparingHandlerOf<R extends Operation> = (
  context: Reading,
  input: InputOf<R>,
) => Promise<(context: Writing<R>) => Promise<OutputOf<R>>>;

/** A write's work in its transaction, and the reader of its family's resource. */
export type Write = ((context: Writing) => Promise<object>) & { readonly target?: ReadTarget };

/**
 * A mailbox, address book or calendar: who may see it may see what is in it. Or a member, who alone may see
 * it.
 */
export type Container = Readonly<ContainerRef> | { readonly type: 'member'; readonly id: string };

/** A resource as the API shows it. */
export interface Target {
  readonly type: string;
  readonly id: string;
  readonly version: number;
  /** Its title for people, such as a subject; plain text. */
  readonly title: string;
  readonly view: object;
  /** Null: every member of the workspace may see it. */
  readonly within: Container | null;
}

/** The part of a write's transaction that a resource is read with. */
export type TargetContext = Pick<Changing, 'tenantId' | 'at' | 'rows' | 'manager'> & {
  readonly caller: Caller;
};

/**
 * Reads the resource that a family's writes change, without locking it: null when there is none. The input
 * is that of any of them.
 */
export type ReadTarget = (
  context: TargetContext,
  id: string,
  input: object,
) => Promise<Target | null>;

/**
 * A handler as the engine calls it: its types were checked where it was declared. That of a write
 * answers what is to be done in the transaction ({@link Write}).
 */
export type EngineHandler = (context: Reading | Sending, input: object) => Promise<unknown>;

/** The workspace, actor and source of a change. */
export interface Origin {
  readonly tenantId: string;
  readonly actor: EventActor;
  readonly source: EventSource;
  /** The member who approved it, of a write that had to wait. */
  readonly approvedBy?: string | undefined;
}
