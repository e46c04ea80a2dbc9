import { sealedColumn } from '@postroom/operations';
import type { Migration } from '@postroom/persistence/provision';
import { subscriptionSeals } from '../webhook-secrets.js';

/** The secret before the previous one, which signs too until its day is over. */
export const thirdSecret: Migration = {
  name: '2026-11-26-third-secret',
  sql: `
    ALTER TABLE subscriptions ADD COLUMN sealed_oldest text, ADD COLUMN oldest_until timestamptz(3);
    ${sealedColumn('webhooks', subscriptionSeals.oldest)}
  `,
};
