import { InFlight } from '@postroom/concurrency';
import {
  byReferenceOverBytes,
  type BlobStore,
  type OutgoingGroup,
  type ServiceName,
} from '@postroom/contracts';
import {
  BusUnavailable,
  type Bus,
  type BusLog,
  type Emitted,
  type EventHandler,
  type EventRecord,
  type RequestHandler,
  type Unsubscribe,
} from './bus.js';
import { beforeDeadline } from './deadline.js';
import { refusal, type ReplyEnvelope, type RequestEnvelope } from './envelope.js';

const nothing = Buffer.alloc(0);

/** Large requests under way: each holds megabytes here, and work at the store. */
const largeMax = 100;

/**
 * A bus whose envelopes may be of any size: what is over 256 KiB waits in the blob store, and the
 * envelope carries the reference (`decisions.md` §11). Who asked drops both bodies once the reply is
 * there, so that a redelivered request still finds its own.
 */
export class ByReferenceBus implements Bus {
  private readonly large = new InFlight();

  constructor(
    private readonly bus: Bus,
    private readonly blobs: Pick<BlobStore, 'put' | 'get' | 'drop'>,
    private readonly log: BusLog,
  ) {}

  async request(service: ServiceName, request: RequestEnvelope): Promise<ReplyEnvelope> {
    if (request.input.length <= byReferenceOverBytes) {
      return this.whole(request, await this.bus.request(service, request));
    }
    if (this.large.size >= largeMax) throw new BusUnavailable('overloaded');
    return this.large.run(() => this.requestLarge(service, request));
  }

  handle(service: ServiceName, handler: RequestHandler): Promise<Unsubscribe> {
    return this.bus.handle(service, async (request) => {
      try {
        return await this.light(request, await handler(await this.fetched(request)));
      } catch (err) {
        if (!(err instanceof BusUnavailable)) throw err;
        const { operation, requestId } = request;
        this.log.warn({ err, operation, requestId }, 'bus: a large body did not get through');
        // 503: asked again, the request may get through.
        return refusal(request, 'SERVICE_UNAVAILABLE');
      }
    });
  }

  emit(events: readonly EventRecord[]): Promise<Emitted> {
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
  ): Promise<ReplyEnvelope> {
    const inputRef = await this.put(request, request.input);
    try {
      const light = { ...request, input: nothing, inputRef };
      return await this.whole(request, await this.bus.request(service, light));
    } finally {
      this.drop(request, inputRef);
    }
  }

  /** The reply with its body, which nobody else will ask for. */
  private async whole(request: RequestEnvelope, reply: ReplyEnvelope): Promise<ReplyEnvelope> {
    const { bodyRef, ...rest } = reply;
    if (bodyRef === undefined) return reply;
    const body = await this.get(request, bodyRef);
    this.drop(request, bodyRef);
    return { ...rest, body };
  }

  private async light(request: RequestEnvelope, reply: ReplyEnvelope): Promise<ReplyEnvelope> {
    if (reply.body.length <= byReferenceOverBytes) return reply;
    return { ...reply, body: nothing, bodyRef: await this.put(request, reply.body) };
  }

  private async fetched(request: RequestEnvelope): Promise<RequestEnvelope> {
    const { inputRef, ...rest } = request;
    if (inputRef === undefined) return request;
    return { ...rest, input: await this.get(request, inputRef) };
  }

  private async get(request: RequestEnvelope, reference: string): Promise<Buffer> {
    const getting = this.blobs.get(tenantOf(request), reference).catch(unreachable);
    const body = await beforeDeadline(getting, request.deadlineMs);
    if (!body) throw new BusUnavailable('no-body');
    return body;
  }

  private put(request: RequestEnvelope, bytes: Buffer): Promise<string> {
    const putting = this.blobs.put(tenantOf(request), bytes).catch(unreachable);
    return beforeDeadline(putting, request.deadlineMs);
  }

  /** Nobody waits for it: what stays is forgotten after an hour. */
  private drop(request: RequestEnvelope, reference: string): void {
    this.blobs.drop(tenantOf(request), reference).catch((err: unknown) => {
      this.log.warn({ err }, 'bus: a large body was not dropped');
    });
  }
}

const unreachable = (cause: unknown): never => {
  throw new BusUnavailable('no-body', { cause });
};

/** Before its signature is verified: a forged one opens nothing that its sender could not name. */
const tenantOf = ({ caller }: RequestEnvelope): string =>
  (JSON.parse(caller) as { readonly tenantId: string }).tenantId;
