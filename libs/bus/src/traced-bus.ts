import type { OutgoingGroup, ServiceName } from '@postroom/contracts';
import { beginSpan, fail, inContextOf, inSpan, isTracing, traceparent } from '@postroom/tracing';
import type {
  Bus,
  EmitResult,
  EventHandler,
  EventRecord,
  RequestHandler,
  RequestOptions,
  SignReply,
  Unsubscribe,
} from './bus.js';
import type { ReplyEnvelope, RequestEnvelope } from './envelope.js';

/** The bus with spans where this process is traced; else the bus as it is. */
export const traced = (bus: Bus): Bus => (isTracing() ? new TracedBus(bus) : bus);

/**
 * Spans of what is sent and received. A request or an event carries the trace of the one who sent it, and is handled in that
 * trace, whatever this process is doing at that moment.
 */
class TracedBus implements Bus {
  readonly replyTo: string | null;
  readonly replyBodyMax: number;

  constructor(private readonly bus: Bus) {
    this.replyTo = bus.replyTo;
    this.replyBodyMax = bus.replyBodyMax;
  }

  request(
    service: ServiceName,
    request: RequestEnvelope,
    options?: RequestOptions,
  ): Promise<ReplyEnvelope> {
    const send = (): Promise<ReplyEnvelope> =>
      this.bus.request(service, { ...request, traceparent: traceparent() }, options);
    return inSpan(`request ${request.operation}`, { kind: 'client', ...factsOf(request) }, send);
  }

  handle(service: ServiceName, handler: RequestHandler, sign?: SignReply): Promise<Unsubscribe> {
    const handleTraced: RequestHandler = (request) =>
      inContextOf(request.traceparent, () =>
        inSpan(
          `handle ${request.operation}`,
          { kind: 'server', ...factsOf(request) },
          async (span) => {
            const reply = await handler(request);
            span?.setAttribute('http.response.status_code', reply.status);
            if (reply.problem !== null && reply.status >= 500) fail(span, reply.problem);
            return reply;
          },
        ),
      );
    return this.bus.handle(service, handleTraced, sign);
  }

  async emit(events: readonly EventRecord[]): Promise<EmitResult> {
    const spans = events.map((event) =>
      beginSpan(event.traceparent, `publish ${event.type}`, {
        kind: 'producer',
        ...eventFacts(event),
      }),
    );
    const carrying = events.map((event, at) => ({
      ...event,
      traceparent: spans[at]?.traceparent ?? event.traceparent ?? null,
    }));
    const stored = new Set<string>();
    try {
      const result = await this.bus.emit(carrying);
      for (const id of result.stored) stored.add(id);
      return result;
    } finally {
      for (const [at, { id }] of events.entries()) spans[at]?.endSpan(!stored.has(id));
    }
  }

  subscribe(
    consumer: string,
    groups: readonly OutgoingGroup[],
    handler: EventHandler,
  ): Promise<Unsubscribe> {
    return this.bus.subscribe(consumer, groups, (event) =>
      inContextOf(event.traceparent, () =>
        inSpan(`${consumer} ${event.type}`, { kind: 'consumer', ...eventFacts(event) }, () =>
          handler(event),
        ),
      ),
    );
  }

  close(): Promise<void> {
    return this.bus.close();
  }
}

const factsOf = ({ operation, requestId, id }: RequestEnvelope) => ({
  attributes: {
    'postroom.operation': operation,
    'postroom.request_id': requestId,
    'messaging.message.id': id,
  },
});

const eventFacts = ({ id, type }: EventRecord) => ({
  attributes: { 'postroom.event': type, 'messaging.message.id': id },
});
