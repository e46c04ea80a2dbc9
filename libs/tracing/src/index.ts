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
export { startTracing, type Tracing } from './start-tracing.js';
export type { TracingOptions } from './tracing-options.js';
