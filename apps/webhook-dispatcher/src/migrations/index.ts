import type { SealedColumn } from '@postroom/access';
import { serviceSchema } from '@postroom/operations';
import { subscriptionSeals } from '../webhook-secrets.js';
import { init } from './2026-11-28-init.js';

/** The columns that the service encrypts. */
export const webhooksSeals: readonly SealedColumn[] = Object.values(subscriptionSeals);

const isActive = `EXISTS (SELECT FROM subscriptions s WHERE s.tenant_id = t.tenant_id
  AND s.id = t.subscription_id AND s.status = 'active')`;

/** The service's schema. */
export const webhooksSchema = serviceSchema({
  name: 'webhooks',
  migrations: [init],
  functions: new URL('../../src/', import.meta.url),
  seals: webhooksSeals,
  timed: [
    {
      ...{ table: 'deliveries', column: 'next_at', clock: 'real' },
      where: `t.status = 'pending' AND NOT t.held AND t.lease IS NULL AND ${isActive}`,
      busy: `t.status = 'pending' AND t.lease IS NOT NULL`,
    },
  ],
});
