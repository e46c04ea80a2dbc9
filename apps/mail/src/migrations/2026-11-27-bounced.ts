import type { Migration } from '@postroom/persistence/provision';

/** The content of reports on messages that were sent. */
export const bounced: Migration = {
  name: '2026-11-27-bounced',
  sql: 'ALTER TABLE messages ADD COLUMN bounced jsonb;',
};
