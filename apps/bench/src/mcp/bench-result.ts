import type { Result } from '../result.js';

/** Milliseconds of a request at p50, medians over the rounds. */
export interface McpFigures {
  readonly title: string;
  readonly toolMs: number;
  readonly restMs: number;
  /** A request and its reply between two processes on kafkajs alone; null within one process. */
  readonly bareMs: number | null;
}

export interface McpBenchResult {
  readonly results: readonly Result[];
  readonly figures: readonly McpFigures[];
}
