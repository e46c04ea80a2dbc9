import type { Gauge } from '@postroom/operations';
import { statement } from '@postroom/persistence';

/** What the queue counts when it is asked. */
export const approvalGauges: readonly Gauge[] = [
  {
    kind: 'approvals.pending',
    statement: statement(
      'access.count_pending_approvals',
      'SELECT count_pending_approvals($1) AS amount',
    ),
  },
];
