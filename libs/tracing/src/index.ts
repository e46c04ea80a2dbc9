export { beginRequest, beginSpan, type OpenSpan, type RequestSpan } from './open-spans.js';
export { inContextOf, inSpan, isTracing, traceId, traceparent } from './current-trace.js';
export { fail, type SpanFacts } from './spans.js';
export type { TracingOptions } from './provider.js';
export { startTracing, type Tracing } from './start-tracing.js';
