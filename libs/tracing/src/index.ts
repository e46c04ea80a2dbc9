export {
  beginRequest,
  beginSpan,
  fail,
  inContextOf,
  inSpan,
  isTracing,
  traceId,
  traceparent,
  type OpenSpan,
  type RequestSpan,
  type SpanFacts,
} from './spans.js';
export type { TracingOptions } from './provider.js';
export { startTracing, type Tracing } from './start-tracing.js';
