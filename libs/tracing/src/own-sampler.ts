import type { Attributes, Context, Link, SpanKind } from '@opentelemetry/api';
import {
  ParentBasedSampler,
  RandomIdGenerator,
  TraceIdRatioBasedSampler,
  type Sampler,
  type SamplingResult,
} from '@opentelemetry/sdk-trace';
import { isForeign } from './foreign-parent.js';

/**
 * Records a share of the traces: whoever begins one decides, and the others do as its parent says. A client that names a
 * trace neither decides nor picks an id that would be recorded: the dice are ours.
 */
export class OwnSampler implements Sampler {
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
