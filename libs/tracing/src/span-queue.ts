import { TraceFlags, type Context } from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type Span,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace';

/** The most spans that wait for the collector; further ones are dropped. */
const waitingMax = 2_048;

/** Callbacks for exported and dropped spans. */
export interface ExportWatch {
  exported(spans: number): void;
  dropped(spans: number): void;
  /** The collector refuses spans: called once an outage. */
  lost(error: unknown): void;
  /** The collector accepts spans again. */
  recovered(): void;
}

/** Sends ended spans in batches, and counts dropped ones: the SDK drops spans silently when its queue is full. */
// oxlint-disable-next-line postroom/owned-limits -- spans of any owner are dropped when it is full: no caller waits
export class SpanQueue implements SpanProcessor {
  private readonly batches: BatchSpanProcessor;
  private waiting = 0;
  private isLost = false;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly watch: ExportWatch,
  ) {
    const counted: SpanExporter = {
      export: (spans, done) => this.export(spans, done),
      shutdown: () => exporter.shutdown(),
    };
    this.batches = new BatchSpanProcessor({
      exporter: counted,
      maxQueueSize: waitingMax,
      scheduledDelayMillis: 1_000,
    });
  }

  onStart(_span: Span, _parent: Context): void {
    // Only ended spans are of interest.
  }

  onEnd(span: ReadableSpan): void {
    if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return;
    // oxlint-disable-next-line postroom/owned-limits -- see above
    if (this.waiting >= waitingMax) return this.watch.dropped(1);
    this.waiting += 1;
    this.batches.onEnd(span);
  }

  forceFlush(): Promise<void> {
    return this.batches.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.batches.shutdown();
  }

  private export(spans: ReadableSpan[], done: Parameters<SpanExporter['export']>[1]): void {
    this.waiting -= spans.length;
    this.exporter.export(spans, (result) => {
      if (result.code === ExportResultCode.SUCCESS) this.succeed(spans.length);
      else this.fail(spans.length, result.error);
      done(result);
    });
  }

  private succeed(spans: number): void {
    this.watch.exported(spans);
    if (this.isLost) this.watch.recovered();
    this.isLost = false;
  }

  private fail(spans: number, error: unknown): void {
    this.watch.dropped(spans);
    if (!this.isLost) this.watch.lost(error);
    this.isLost = true;
  }
}
