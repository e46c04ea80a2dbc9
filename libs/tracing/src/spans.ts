import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Span,
} from '@opentelemetry/api';
import { asForeign } from './foreign-parent.js';

/** What is known of a span when it begins. Attributes are ids, names and numbers of ours: no value that a person has written. */
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

/** Asked each time: what is given before tracing starts would keep to the provider it met first. */
const tracer = () => trace.getTracer('postroom');
const state = { isOn: false };

/** Whether spans leave this process. */
export const isTracing = (): boolean => state.isOn;

/** For `startTracing` alone. */
export const setTracing = (isOn: boolean): void => void (state.isOn = isOn);

/**
 * Runs work in a span of the trace that is under way. Without one, and in one that is not recorded, the work just
 * runs: a trace begins with a request at the gateway, so what nobody has asked for (a poll, a maintenance job) has none.
 *
 * @param work is given the span, for what is known at its end
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

/** Marks a span as failed, with a word of ours: what an error says may be of a person. */
export function fail(span: Span | undefined, word: string): void {
  span?.setAttribute('error.type', word).setStatus({ code: SpanStatusCode.ERROR });
}

function codeOf(error: unknown): string {
  if (!Error.isError(error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** Runs work in the trace of a W3C trace context; in none, when there is none. */
export function inContextOf<T>(given: string | null | undefined, work: () => T): T {
  if (!state.isOn) return work();
  const carrier = given ? { traceparent: given } : {};
  return context.with(propagation.extract(ROOT_CONTEXT, carrier), work);
}

/** A span of work that has no function of its own, until it is ended. */
export interface OpenSpan {
  readonly traceparent: string | null;
  end(isFailed: boolean): void;
}

/** Begins a span of a trace context; null where that is not recorded. */
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

/** The W3C trace context of what is under way, for whoever goes on with it; null without a trace. */
export function traceparent(): string | null {
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent ?? null;
}

/** The id of the trace that is under way. */
export const traceId = (): string | undefined => trace.getActiveSpan()?.spanContext().traceId;

/** A request that has come from outside, until it is answered. */
export interface RequestSpan {
  /** Runs work in its trace. */
  run<T>(work: () => T): T;
  end(name: string, attributes: Attributes, isFailed: boolean): void;
}

/**
 * Begins the trace of a request. A trace context that came with it gives the trace its id and its parent, and no more: whether
 * it is recorded is for our sampling to say.
 *
 * @returns null while there is no tracing
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
