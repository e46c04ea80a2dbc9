import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { watchLimits } from './limit-metrics.js';

/** The outcome of an operation: an HTTP status at the gateway, a word in a service. */
export type Outcome = number | 'ok' | 'refused' | 'failed' | 'expired';

/**
 * Records one run of an operation.
 *
 * @param operation its id; one that was not announced counts as `unknown`
 * @param durationMs the difference of two `performance.now()`
 */
export type RecordOperation = (operation: string, outcome: Outcome, durationMs: number) => void;

/** The answer of `/metrics`. */
export interface Exposition {
  readonly contentType: string;
  readonly body: string;
}

/** The description of a metric for operators. */
export interface MetricDescription {
  /** `postroom_…`, its unit last. */
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
}

/** A value of a gauge, and its labels. */
export interface Reading {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Reads a gauge on demand. */
export type ReadGauge = () => readonly Reading[] | Promise<readonly Reading[]>;

const isStatus = (outcome: number): boolean =>
  Number.isInteger(outcome) && outcome >= 100 && outcome <= 599;

/**
 * The metrics of a process: Node's own, those of limits, and one histogram of all operations, whose `_count` is
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

  private readonly readers = new Map<string, ReadGauge[]>();
  private exposing: Promise<Exposition> | null = null;

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    watchLimits(this.registry);
    // Gauges with the name of a counter, which promtool refuses; those without the ending say the same by kind.
    for (const what of ['handles', 'requests', 'resources'])
      this.registry.removeSingleMetric(`nodejs_active_${what}_total`);
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

  /**
   * A gauge that is read at each request for metrics; services of one process may share it. A reading that
   * fails is left out, and the other metrics are shown.
   */
  gauge({ name, help, labelNames = [] }: MetricDescription, read: ReadGauge): void {
    const known = this.readers.get(name);
    if (known) {
      known.push(read);
      return;
    }
    const readers = [read];
    this.readers.set(name, readers);
    const registers = [this.registry];
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers,
      async collect() {
        this.reset();
        const readings = await Promise.all(readers.map((one) => settled(one)));
        for (const { labels = {}, value } of readings.flat()) this.set(labels, value);
      },
    });
  }

  /** A counter. @returns a function that adds one, or more */
  counter({ name, help, labelNames = [] }: MetricDescription) {
    const registers = [this.registry];
    const counter = new Counter({ name, help, labelNames: [...labelNames], registers });
    return (labels: Readonly<Record<string, string>> = {}, amount = 1): void =>
      counter.inc(labels, amount);
  }

  /** A histogram without labels. @returns a function that records a value, in the unit of its name */
  histogram({ name, help }: MetricDescription, buckets: number[]): (value: number) => void {
    const histogram = new Histogram({ name, help, buckets, registers: [this.registry] });
    return (value) => histogram.observe(value);
  }

  /** Everything recorded so far in Prometheus' text format; those who ask at once share one reading. */
  expose(): Promise<Exposition> {
    this.exposing ??= this.registry
      .metrics()
      .then((body) => ({ contentType: this.registry.contentType, body }))
      .finally(() => (this.exposing = null));
    return this.exposing;
  }
}

async function settled(read: ReadGauge): Promise<readonly Reading[]> {
  try {
    return await read();
  } catch {
    return [];
  }
}
