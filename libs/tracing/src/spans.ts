import {
  type Attributes,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api';

/** Facts about a span at its start. Attributes are ids, names and numbers of the product: never a person's text. */
export interface SpanFacts {
  readonly kind?: 'client' | 'server' | 'producer' | 'consumer';
  readonly attributes?: Attributes;
}

const kinds = {
  client: SpanKind.CLIENT,
  server: SpanKind.SERVER,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/** Looked up each time: a tracer from before the start of tracing would keep the provider of that time. */
export const tracer = () => trace.getTracer('postroom');
const state = { isOn: false };

/** True if this process exports spans. */
export const isTracing = (): boolean => state.isOn;

/** For `startTracing` alone. */
export const setTracing = (isOn: boolean): void => void (state.isOn = isOn);

/**
 * Runs work in a span of the current trace. Without a recorded trace, the work just runs: a trace starts
 * with a request at the gateway, so a poll or a maintenance job has none.
 *
 * @param work receives the span, for attributes that are known at its end
 */
export function inSpan<T>(
  name: string,
  facts: SpanFacts,
  work: (span?: Span) => Promise<T>,
): Promise<T> {
  if (!isRecorded()) return work();
  const span = startSpan(name, facts);
  return context.with(trace.setSpan(context.active(), span), () => ended(span, work));
}

export function isRecorded(): boolean {
  const flags = trace.getActiveSpan()?.spanContext().traceFlags ?? TraceFlags.NONE;
  return (flags & TraceFlags.SAMPLED) !== 0;
}

export const startSpan = (name: string, { kind, attributes }: SpanFacts): Span =>
  tracer().startSpan(name, {
    ...(kind && { kind: kinds[kind] }),
    ...(attributes && { attributes }),
  });

async function ended<T>(span: Span, work: (span: Span) => Promise<T>): Promise<T> {
  try {
    return await work(span);
  } catch (error) {
    fail(span, codeOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/** Marks a span as failed, with a fixed word: the message of an error may hold personal data. */
export function fail(span: Span | undefined, word: string): void {
  span?.setAttribute('error.type', word).setStatus({ code: SpanStatusCode.ERROR });
}

function codeOf(error: unknown): string {
  if (!Error.isError(error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** Runs work in the trace of a W3C trace context, or in no trace without one. */
export function inContextOf<T>(given: string | null | undefined, work: () => T): T {
  if (!state.isOn) return work();
  const carrier = given ? { traceparent: given } : {};
  return context.with(propagation.extract(ROOT_CONTEXT, carrier), work);
}

/** The current W3C trace context, to pass on; null without a trace. */
export function traceparent(): string | null {
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent ?? null;
}

/** The id of the current trace. */
export const traceId = (): string | undefined => trace.getActiveSpan()?.spanContext().traceId;
