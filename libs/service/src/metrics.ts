import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** How an operation ended: an HTTP status at the gateway, a word in a service. */
export type Outcome = number | 'ok' | 'refused' | 'failed' | 'expired';

/**
 * Records one run of an operation.
 *
 * @param operation its id; one that was not announced counts as `unknown`
 * @param durationMs the difference of two `performance.now()`
 */
export type RecordOperation = (operation: string, outcome: Outcome, durationMs: number) => void;

/** What `/metrics` answers. */
export interface Exposition {
  readonly contentType: string;
  readonly body: string;
}

const isStatus = (outcome: number): boolean =>
  Number.isInteger(outcome) && outcome >= 100 && outcome <= 599;

/**
 * The metrics of a process: Node's own, and one histogram of all operations, whose `_count` is
 * their number. One instance a process: Node's metrics exist once, and a second registry would
 * answer half the truth.
 */
export class Metrics {
  /** For metrics of an app's own (gauges of queues, counters of deliveries). */
  readonly registry = new Registry();

  private readonly operationSeconds = new Histogram({
    name: 'postroom_operation_duration_seconds',
    help: 'Time an operation took, by service, operation and outcome.',
    labelNames: ['service', 'operation', 'outcome'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /**
   * The recorder of one service. The ids bound the label: what a client makes up (a path, a tool's
   * name) can never become a time series.
   *
   * @param operations the ids of every operation the service knows
   */
  operations(service: string, operations: Iterable<string>): RecordOperation {
    const known = new Set(operations);
    return (operation, outcome, durationMs) => {
      const word = typeof outcome !== 'number' || isStatus(outcome) ? String(outcome) : 'unknown';
      this.operationSeconds.observe(
        { service, operation: known.has(operation) ? operation : 'unknown', outcome: word },
        durationMs / 1000,
      );
    };
  }

  /** Everything recorded so far in Prometheus' text format. */
  async expose(): Promise<Exposition> {
    return { contentType: this.registry.contentType, body: await this.registry.metrics() };
  }
}
