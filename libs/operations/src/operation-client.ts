import { signCaller, verifyReply, type Caller, type CallerKey } from '@postroom/access';
import { BusUnavailable, type Bus, type ReplyEnvelope, type RequestEnvelope } from '@postroom/bus';
import { newId, Problem, type Operation } from '@postroom/contracts';
import { Budget, LimitReached } from '@postroom/limits';
import { keyHolderOf } from './call.js';
import { asProblem } from './faults.js';
import { limits } from './limits.js';
import { encodeUnknown, type UnknownReferences } from './unknown-references.js';
import {
  decryptReply,
  encryptionsOf,
  encryptRequest,
  type CallEncryptions,
  type CallerKeys,
} from './encrypted-calls.js';

export interface CallOptions {
  readonly requestId: string;
  /** The message's id, where repeats of a call must be one message; a new one by default. */
  readonly messageId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly traceparent?: string | undefined;
  readonly preview?: boolean;
  /** References of the input that the workspace does not have. */
  readonly unknownReferences?: UnknownReferences | undefined;
  /** The operation's own by default. */
  readonly timeoutMs?: number | undefined;
  /** A large success may be answered by its reference in the blob store (see `RequestOptions`). */
  readonly leavesLargeBody?: boolean;
}

/**
 * Calls operations over the bus in the name of a caller. The gateway has the keys of all services; another
 * service has its own alone, and can call what names it in `calledBy`.
 */
export class OperationClient {
  private readonly waiting = new Set<(reason: BusUnavailable) => void>();
  private readonly encryptions: CallEncryptions;
  private readonly usual = new Budget(limits.calls);
  private readonly long = new Budget(limits.longCalls);
  private isOver = false;

  constructor(
    private readonly bus: Bus,
    private readonly callerKeys: CallerKeys,
  ) {
    this.encryptions = encryptionsOf(callerKeys);
  }

  /** @throws Problem SERVICE_UNAVAILABLE when no reply came in time, or the workspace has its share of calls */
  async call(
    operation: Operation,
    caller: Caller,
    input: object,
    options: CallOptions,
  ): Promise<ReplyEnvelope> {
    const { requestId, idempotencyKey = null, traceparent = null, preview = false } = options;
    const { unknownReferences, timeoutMs = operation.deadlineMs } = options;
    const { messageId = newId('req') } = options;
    const request = {
      id: messageId,
      operation: operation.id,
      deadlineMs: Date.now() + timeoutMs,
      caller: JSON.stringify(caller),
      idempotencyKey,
      preview,
      requestId,
      traceparent,
      references: unknownReferences ? encodeUnknown(unknownReferences) : null,
      replyTo: this.bus.replyTo,
      orderKey: orderKeyOf(operation, caller, input),
      input: Buffer.from(JSON.stringify(input)),
    };
    const signature = signCaller(this.keyFor(operation), request);
    try {
      if (this.isOver) throw new BusUnavailable('no-service');
      const asking = () => this.ask(operation, { ...request, signature }, options);
      const places = operation.isLong ? this.long : this.usual;
      return await places.runInTurn({ workspace: caller.tenantId }, () =>
        this.unlessGivenUp(asking()),
      );
    } catch (error) {
      throw problemOfCall(operation, error);
    }
  }

  /** Ends all waiting calls as if their deadlines had passed, and begins no more. */
  giveUp(): void {
    this.isOver = true;
    for (const end of [...this.waiting]) end(new BusUnavailable('closed'));
  }

  private async ask(
    operation: Operation,
    request: RequestEnvelope,
    { leavesLargeBody = false }: CallOptions,
  ): Promise<ReplyEnvelope> {
    const { service } = operation;
    const isSigned = this.isSignedFor(operation);
    if (!operation.encrypted)
      return this.bus.request(service, request, { leavesLargeBody, isSigned });
    const encryption = this.encryptions[keyHolderOf(operation)];
    if (!encryption) throw new Error(`no key to encrypt ${operation.id} with`);
    return decryptReply(
      encryption,
      await this.bus.request(service, encryptRequest(encryption, request), { isSigned }),
    );
  }

  private isSignedFor(operation: Operation): (reply: ReplyEnvelope) => boolean {
    const key = this.keyFor(operation);
    return (reply) => verifyReply(key, reply, reply.signature ?? '');
  }

  private keyFor(operation: Operation): CallerKey {
    const key = this.callerKeys[keyHolderOf(operation)];
    if (!key) throw new Error(`no key to sign a caller of ${operation.id} with`);
    return key;
  }

  /** Settles as the answer does, or rejects when {@link giveUp} ends the wait. */
  private unlessGivenUp<T>(answering: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.waiting.add(reject);
      void answering.then(resolve, reject).finally(() => this.waiting.delete(reject));
    });
  }
}

/** The problem of a call that was not made, or has no answer; other errors stay. */
function problemOfCall(operation: Operation, error: unknown): unknown {
  if (error instanceof LimitReached) return asProblem(error);
  return error instanceof BusUnavailable ? unavailable(operation, error) : error;
}

/** The problem of a call without an answer; the outcome of a send that may have reached its service is unknown. */
function unavailable({ effect }: Operation, cause: BusUnavailable): Problem {
  const neverLeft = cause.reason === 'no-service' || cause.reason === 'overloaded';
  const fields = effect === 'send' && !neverLeft ? { outcomeUnknown: true } : {};
  return new Problem('SERVICE_UNAVAILABLE', { cause, fields });
}

/**
 * Writes of one resource, or where that is not named of one mailbox, are done in the order sent.
 * Sends have no order: one that waits for a slow mail server would hold up all sends of its mailbox.
 */
function orderKeyOf(operation: Operation, { tenantId }: Caller, input: object): string | null {
  if (operation.effect === 'read' || operation.effect === 'send') return null;
  const { id, mailbox }: { id?: unknown; mailbox?: unknown } = input;
  const resource = [id, mailbox].find((value) => typeof value === 'string');
  return resource === undefined ? null : `${tenantId}/${resource}`;
}
