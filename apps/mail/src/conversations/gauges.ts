import type { Gauge } from '@postroom/operations';
import { statement } from '@postroom/persistence';

/** What the analytics show of conversations as they are now. */
export const gauges: readonly Gauge[] = [
  {
    kind: 'conversations.open',
    statement: statement(
      'conversations.count_open',
      'SELECT count_open_conversations($1)::float8 AS amount',
    ),
  },
];
