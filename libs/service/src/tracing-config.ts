import { setting } from './setting.js';

/** Whether spans are sent, and how many: the variables are OpenTelemetry's. */
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
