import type { Migration } from '@postroom/persistence/provision';

/** When an agent was first answered how its write ended, which decides what the same call means again. */
export const answeredApprovals: Migration = {
  name: '2026-11-26-answered-approvals',
  sql: 'ALTER TABLE approvals ADD COLUMN answered_at timestamptz(3);',
};
