import type { OutgoingGroup, ServiceName } from '@postroom/contracts';
import { Budget, LimitReached } from '@postroom/limits';
import {
  type Bus,
  type BusLog,
  BusUnavailable,
  type EmitResult,
  type EventHandler,
  type EventRecord,
  type RequestHandler,
  type RequestOptions,
  type SignReply,
  type Unsubscribe,
} from './bus.js';
import { refusal, type ReplyEnvelope, type RequestEnvelope } from './envelope.js';
import { limits } from './limits.js';
import { StoredBodies, tenantOf, type BodyStore } from './stored-bodies.js';

const nothing = Buffer.alloc(0);

/** An input over this many bytes travels by reference, and between processes a reply's body too (`decisions.md` §11). */
export const byReferenceOverBytes = 256 * 1024;

/**
 * A bus for bodies of any size: one that is too large for its envelope is stored in the blob store, and
 * the envelope carries its reference (`decisions.md` §11). The caller drops both bodies once it has the reply, so
 * that a redelivered request still finds its input.
 */
export class ByReferenceBus implements Bus {
  readonly replyTo: string | null;
  readonly replyBodyMax = Infinity;
  private readonly large = new Budget(limits.largeRequests);
  private readonly bodies: StoredBodies;

  constructor(
    private readonly bus: Bus,
    blobs: BodyStore,
    private readonly log: BusLog,
  ) {
    this.replyTo = bus.replyTo;
    this.bodies = new StoredBodies(blobs, log);
  }

  async request(
    service: ServiceName,
    request: RequestEnvelope,
    options: RequestOptions = {},
  ): Promise<ReplyEnvelope> {
    if (request.input.length <= byReferenceOverBytes) {
      return this.withBody(request, await this.bus.request(service, request, options), options);
    }
    return this.large
      .runInTurn({ workspace: tenantOf(request) }, () =>
        this.requestLarge(service, request, options),
      )
      .catch(overloaded);
  }

  handle(service: ServiceName, handler: RequestHandler, sign?: SignReply): Promise<Unsubscribe> {
    const handlerOfAny: RequestHandler = async (request) => {
      try {
        return await this.offloaded(request, await handler(await this.withInput(request)));
      } catch (err) {
        if (!(err instanceof BusUnavailable)) throw err;
        const { operation, requestId } = request;
        this.log.warn({ err, operation, requestId }, 'bus: the blob store failed for a large body');
        // 503: a retry may succeed.
        return refusal(request, 'SERVICE_UNAVAILABLE');
      }
    };
    return this.bus.handle(service, handlerOfAny, sign);
  }

  emit(events: readonly EventRecord[]): Promise<EmitResult> {
    return this.bus.emit(events);
  }

  subscribe(
    consumer: string,
    groups: readonly OutgoingGroup[],
    handler: EventHandler,
  ): Promise<Unsubscribe> {
    return this.bus.subscribe(consumer, groups, handler);
  }

  close(): Promise<void> {
    return this.bus.close();
  }

  private async requestLarge(
    service: ServiceName,
    request: RequestEnvelope,
    options: RequestOptions,
  ): Promise<ReplyEnvelope> {
    const inputRef = await this.bodies.put(request, request.input);
    try {
      const offloaded = { ...request, input: nothing, inputRef };
      const reply = await this.bus.request(service, offloaded, options);
      return await this.withBody(request, reply, options);
    } finally {
      this.bodies.drop(request, inputRef);
    }
  }

  /** The reply with its body, which is dropped from the store, since it has one reader. */
  private async withBody(
    request: RequestEnvelope,
    reply: ReplyEnvelope,
    { leavesLargeBody = false }: RequestOptions,
  ): Promise<ReplyEnvelope> {
    const { bodyRef, bodyBytes: _, ...rest } = reply;
    if (bodyRef === undefined || (leavesLargeBody && reply.problem === null)) return reply;
    const body = await this.bodies.get(request, bodyRef);
    this.bodies.drop(request, bodyRef);
    return { ...rest, body };
  }

  private async offloaded(request: RequestEnvelope, reply: ReplyEnvelope): Promise<ReplyEnvelope> {
    if (reply.body.length <= this.bus.replyBodyMax) return reply;
    const bodyBytes = reply.body.length;
    return {
      ...reply,
      body: nothing,
      bodyBytes,
      bodyRef: await this.bodies.put(request, reply.body),
    };
  }

  private async withInput(request: RequestEnvelope): Promise<RequestEnvelope> {
    const { inputRef, ...rest } = request;
    if (inputRef === undefined) return request;
    return { ...rest, input: await this.bodies.get(request, inputRef) };
  }
}

const overloaded = (cause: unknown): never => {
  throw cause instanceof LimitReached ? new BusUnavailable('overloaded', { cause }) : cause;
};
