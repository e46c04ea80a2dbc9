import { type Attributes, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

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

export const startSpan = (name: string, { kind, attributes }: SpanFacts): Span =>
  tracer().startSpan(name, {
    ...(kind && { kind: kinds[kind] }),
    ...(attributes && { attributes }),
  });

/** Ends a span with its work, and notes how that failed. */
export async function endedWith<T>(span: Span, work: (span: Span) => Promise<T>): Promise<T> {
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
