import type { ExportWatch } from './span-queue.js';

/** Where spans go, and how many. */
export interface TracingOptions {
  /** A collector that takes OTLP over HTTP: the address before `/v1/traces`. */
  readonly endpoint: string;
  /** Share of the traces that are recorded, from 0 to 1. */
  readonly ratio: number;
  /** What the spans say of where they come from. */
  readonly service: string;
  readonly instance: string;
  readonly watch: ExportWatch;
}
