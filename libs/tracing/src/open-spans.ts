import {
  context,
  createContextKey,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
} from '@opentelemetry/api';
import { inContextOf, isRecorded, isTracing, traceparent } from './current-trace.js';
import { startSpan, tracer, type SpanFacts } from './spans.js';

const key = createContextKey('the parent is foreign');

/** Marks a context whose parent is a client's: its decision to record the trace does not count. */
const asForeign = (context: Context): Context => context.setValue(key, true);

export const isForeign = (context: Context): boolean => context.getValue(key) === true;

/** A span that is open until `endSpan` is called, for work that is not one function. */
export interface OpenSpan {
  readonly traceparent: string | null;
  endSpan(isFailed: boolean): void;
}

/** Starts a span in a trace context; null if that is not recorded. */
export function beginSpan(
  given: string | null | undefined,
  name: string,
  facts: SpanFacts,
): OpenSpan | null {
  return inContextOf(given, () => {
    if (!isRecorded()) return null;
    const span = startSpan(name, facts);
    return {
      traceparent: context.with(trace.setSpan(context.active(), span), traceparent),
      endSpan(isFailed) {
        if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  });
}

/** The span of a request from outside, open until the answer. */
export interface RequestSpan {
  runInTrace<T>(work: () => T): T;
  endSpan(name: string, attributes: Attributes, isFailed: boolean): void;
}

/**
 * Starts the trace of a request. A trace context of the request gives the trace its id and its parent only:
 * our sampling decides on recording.
 *
 * @returns null without tracing
 */
export function beginRequest(given: string | undefined): RequestSpan | null {
  if (!isTracing()) return null;
  const outside = propagation.extract(ROOT_CONTEXT, given ? { traceparent: given } : {});
  const span = tracer().startSpan('request', { kind: SpanKind.SERVER }, asForeign(outside));
  const within = trace.setSpan(ROOT_CONTEXT, span);
  return {
    runInTrace: (work) => context.with(within, work),
    endSpan(name, attributes, isFailed) {
      span.updateName(name).setAttributes(attributes);
      if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}
