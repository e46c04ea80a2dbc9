import type { SealedColumn } from '@postroom/access';
import { serviceSchema } from '@postroom/operations';
import { clientSecretSeal, receiptKeySeal, totpSeal } from '../sealed-columns.js';
import { init } from './2026-11-28-init.js';

/** The columns that the service encrypts. */
export const accessSeals: readonly SealedColumn[] = [receiptKeySeal, totpSeal, clientSecretSeal];

/** The gateway's schema. */
export const accessSchema = serviceSchema({
  name: 'access',
  migrations: [init],
  functions: new URL('../../src/', import.meta.url),
  seals: accessSeals,
  timed: [
    { table: 'approvals', column: 'expires_at', clock: 'own', where: `t.state = 'pending'` },
    { table: 'keys', column: 'expires_at', clock: 'own', stops: false },
  ],
});
