import { Injectable } from '@nestjs/common';
import type { Gauge as QuotaGauge } from '@postroom/operations';
import { Database, statement } from '@postroom/persistence';
import { Metrics } from '@postroom/service';
import { Gauge, Histogram } from 'prom-client';

/** Counted when it is asked for. */
export const approvalGauges: readonly QuotaGauge[] = [
  {
    kind: 'approvals.pending',
    statement: statement(
      'access.count_pending_approvals',
      'SELECT count_pending_approvals($1) AS amount',
    ),
  },
];

const waiting = statement<{ pending: number; oldestSeconds: number }>(
  'access.approvals_waiting',
  'SELECT pending, oldest_seconds AS "oldestSeconds" FROM approvals_waiting()',
);

/** Metrics of the queue: approvals that wait, their age, and the time to a decision. */
@Injectable()
export class ApprovalMetrics {
  private readonly decisions: Histogram<'decision'>;

  constructor(database: Database, { registry }: Metrics) {
    const registers = [registry];
    this.decisions = new Histogram({
      name: 'postroom_approval_decision_seconds',
      help: 'Time from the filing of an approval to its decision, by what was decided.',
      labelNames: ['decision'],
      buckets: [1, 10, 60, 300, 1_800, 3_600, 4 * 3_600, 24 * 3_600, 72 * 3_600],
      registers,
    });
    const oldest = new Gauge({
      name: 'postroom_approvals_oldest_seconds',
      help: 'Age of the oldest approval that is pending, over all workspaces.',
      registers,
    });
    new Gauge({
      name: 'postroom_approvals_pending',
      help: 'Approvals that wait for a decision, over all workspaces.',
      registers,
      async collect() {
        // The other metrics are shown when the database does not answer.
        const [found] = await database.rows(waiting, []).catch(() => []);
        this.set(found?.pending ?? Number.NaN);
        oldest.set(found?.oldestSeconds ?? Number.NaN);
      },
    });
  }

  decided(decision: string, seconds: number): void {
    this.decisions.observe({ decision }, seconds);
  }
}
