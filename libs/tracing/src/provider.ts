import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import { withTimeout } from '@postroom/concurrency';
import { OwnSampler } from './own-sampler.js';
import { SpanQueue } from './span-queue.js';
import type { TracingOptions } from './tracing-options.js';

/** For a batch and its repeats; the next ones wait, and are dropped when they are too many. */
const exportWithinMs = 5_000;

/** A collector that does not answer must not hold up the end of a process. */
const closeWithinMs = 3_000;

/** Registers the SDK with OpenTelemetry's API. @returns what ends that */
export function openProvider(options: TracingOptions): () => Promise<void> {
  const { endpoint, ratio, service, instance, watch } = options;
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
  const provider = new TracerProvider({
    sampler: new OwnSampler(ratio),
    resource: resourceFromAttributes({ 'service.name': service, 'service.instance.id': instance }),
    spanProcessors: [
      new SpanQueue(new OTLPTraceExporter({ url, timeoutMillis: exportWithinMs }), watch),
    ],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  return async () => {
    const closing = provider.shutdown().catch(() => undefined);
    await withTimeout(closing, closeWithinMs, () => undefined);
    for (const registered of [trace, context, propagation]) registered.disable();
  };
}
