import {
  type Attributes,
  context,
  type Context,
  createContextKey,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api';

const key = createContextKey('the parent is foreign');

/** Marks a context whose parent is a client's: its decision to record the trace does not count. */
const asForeign = (context: Context): Context => context.setValue(key, true);

export const isForeign = (context: Context): boolean => context.getValue(key) === true;

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
const tracer = () => trace.getTracer('postroom');
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
  const span = started(name, facts);
  return context.with(trace.setSpan(context.active(), span), () => ended(span, work));
}

function isRecorded(): boolean {
  const flags = trace.getActiveSpan()?.spanContext().traceFlags ?? TraceFlags.NONE;
  return (flags & TraceFlags.SAMPLED) !== 0;
}

const started = (name: string, { kind, attributes }: SpanFacts): Span =>
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

/** A span that is open until `end` is called, for work that is not one function. */
export interface OpenSpan {
  readonly traceparent: string | null;
  end(isFailed: boolean): void;
}

/** Starts a span in a trace context; null if that is not recorded. */
export function beginSpan(
  given: string | null | undefined,
  name: string,
  facts: SpanFacts,
): OpenSpan | null {
  return inContextOf(given, () => {
    if (!isRecorded()) return null;
    const span = started(name, facts);
    return {
      traceparent: context.with(trace.setSpan(context.active(), span), traceparent),
      end(isFailed) {
        if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  });
}

/** The current W3C trace context, to pass on; null without a trace. */
export function traceparent(): string | null {
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent ?? null;
}

/** The id of the current trace. */
export const traceId = (): string | undefined => trace.getActiveSpan()?.spanContext().traceId;

/** The span of a request from outside, open until the answer. */
export interface RequestSpan {
  /** Runs work in its trace. */
  run<T>(work: () => T): T;
  end(name: string, attributes: Attributes, isFailed: boolean): void;
}

/**
 * Starts the trace of a request. A trace context of the request gives the trace its id and its parent only:
 * our sampling decides on recording.
 *
 * @returns null without tracing
 */
export function beginRequest(given: string | undefined): RequestSpan | null {
  if (!state.isOn) return null;
  const outside = propagation.extract(ROOT_CONTEXT, given ? { traceparent: given } : {});
  const span = tracer().startSpan('request', { kind: SpanKind.SERVER }, asForeign(outside));
  const within = trace.setSpan(ROOT_CONTEXT, span);
  return {
    run: (work) => context.with(within, work),
    end(name, attributes, isFailed) {
      span.updateName(name).setAttributes(attributes);
      if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}
