import {
  context,
  propagation,
  trace,
  type Attributes,
  type Context,
  type Link,
  type SpanKind,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  ParentBasedSampler,
  RandomIdGenerator,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
  type SamplingResult,
} from '@opentelemetry/sdk-trace';
import { withTimeout } from '@postroom/concurrency';
import { SpanQueue, type ExportWatch } from './span-queue.js';
import { isForeign } from './open-spans.js';

/** The collector, and the share of traces. */
export interface TracingOptions {
  /** A collector that takes OTLP over HTTP: the address before `/v1/traces`. */
  readonly endpoint: string;
  /** Share of the traces that are recorded, from 0 to 1. */
  readonly ratio: number;
  /** The origin that the spans name. */
  readonly service: string;
  readonly instance: string;
  readonly watch: ExportWatch;
}

/** Bounds the export of a batch with its retries; later batches wait, and are dropped when too many. */
const exportWithinMs = 5_000;

/** A collector that does not answer must not hold up the end of a process. */
const closeWithinMs = 3_000;

/** Registers the SDK with OpenTelemetry's API. @returns a function that shuts it down */
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

/**
 * Records a share of the traces: the process that starts a trace decides, and the others follow the parent. A
 * client's trace context neither decides nor chooses an id that would be recorded: the random number is ours.
 */
class OwnSampler implements Sampler {
  private readonly ids = new RandomIdGenerator();
  private readonly share: TraceIdRatioBasedSampler;
  private readonly asParent: ParentBasedSampler;

  constructor(ratio: number) {
    this.share = new TraceIdRatioBasedSampler(ratio);
    this.asParent = new ParentBasedSampler({ root: this.share });
  }

  shouldSample(
    context: Context,
    traceId: string,
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    links: Link[],
  ): SamplingResult {
    return isForeign(context)
      ? this.share.shouldSample(context, this.ids.generateTraceId())
      : this.asParent.shouldSample(context, traceId, name, kind, attributes, links);
  }

  toString(): string {
    return `OwnSampler{${this.share.toString()}}`;
  }
}
