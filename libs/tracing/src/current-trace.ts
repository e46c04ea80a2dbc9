import {
  context,
  propagation,
  ROOT_CONTEXT,
  trace,
  TraceFlags,
  type Span,
} from '@opentelemetry/api';
import { endedWith, startSpan, type SpanFacts } from './spans.js';

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
  return context.with(trace.setSpan(context.active(), span), () => endedWith(span, work));
}

export function isRecorded(): boolean {
  const flags = trace.getActiveSpan()?.spanContext().traceFlags ?? TraceFlags.NONE;
  return (flags & TraceFlags.SAMPLED) !== 0;
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
