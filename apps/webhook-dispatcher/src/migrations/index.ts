import type { SealedColumn } from '@postroom/access';
import { serviceSchema } from '@postroom/operations';
import { subscriptionSeals } from '../webhook-secrets.js';
import { init } from './2026-11-26-init.js';

/** The columns that the service encrypts. */
export const webhooksSeals: readonly SealedColumn[] = Object.values(subscriptionSeals);

/** The service's schema. */
export const webhooksSchema = serviceSchema({
  name: 'webhooks',
  migrations: [init],
  functions: new URL('../../src/', import.meta.url),
  seals: webhooksSeals,
});
