import { setting } from './setting.js';
import { startTracing } from '@postroom/tracing';
import type { Log } from './log.js';
import type { Metrics } from './metrics.js';

/** The collector of spans, and their share; the variables are OpenTelemetry's. */
export class TracingConfig {
  @setting.url(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'Collector of traces (OTLP over HTTP, without `/v1/traces`); there are none without it.',
    { protocols: ['http:', 'https:'], nullable: true },
  )
  otlpEndpoint!: string | null;

  @setting.fraction('OTEL_TRACES_SAMPLER_ARG', 'Share of the requests that are traced.', {
    default: 1,
  })
  tracesRatio!: number;
}

/** A process whose requests are traced. */
export interface TracedProcess {
  /** The origin that its spans name. */
  readonly service: string;
  readonly instance: string;
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * Sends the spans of this process, if a collector is configured.
 * @returns a function that sends the rest and stops; null without a collector
 */
export async function traceProcess(
  { otlpEndpoint: endpoint, tracesRatio: ratio }: TracingConfig,
  { service, instance, log, metrics }: TracedProcess,
): Promise<(() => Promise<void>) | null> {
  if (endpoint === null) return null;
  const count = metrics.counter({
    name: 'postroom_trace_spans_total',
    help: 'Spans, by whether the collector has taken them or they were dropped.',
    labelNames: ['outcome'],
  });
  const watch = {
    exported: (spans: number) => count({ outcome: 'exported' }, spans),
    dropped: (spans: number) => count({ outcome: 'dropped' }, spans),
    lost: (err: unknown) => log.warn({ err }, 'traces: the collector takes no spans, dropping'),
    recovered: () => log.info('traces: the collector takes spans again'),
  };
  const tracing = await startTracing({ endpoint, ratio, service, instance, watch });
  return () => tracing.stop();
}
