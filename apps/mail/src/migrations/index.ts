import type { SealedColumn } from '@postroom/access';
import { serviceSchema } from '@postroom/operations';
import { accountSeals, mailboxSeals } from '../mailboxes/index.js';
import { init } from './2026-11-28-init.js';

/** The columns that the service encrypts. */
export const mailSeals: readonly SealedColumn[] = [
  ...Object.values(mailboxSeals),
  ...Object.values(accountSeals),
];

/** The service's schema. */
export const mailSchema = serviceSchema({
  name: 'mail',
  migrations: [init],
  functions: new URL('../../src/', import.meta.url),
  seals: mailSeals,
  counts: [
    { table: 'drafts', quota: 'drafts' },
    { table: 'raw_messages', quota: 'storedBytes', bytesOf: ['raw'] },
    { table: 'draft_file_pieces', quota: 'storedBytes', bytesOf: ['bytes'] },
    // Labels are few as a rule, and no quota bounds how many a mailbox learns.
    { table: 'labels', quota: 'storedBytes', bytesOf: ['name', 'key'] },
    { table: 'suppressions', quota: 'storedBytes', bytesOf: ['address', 'status'] },
  ],
  timed: [
    {
      ...{ table: 'drafts', column: 'send_due', clock: 'real', where: `t.send_state = 'waiting'` },
      busy: `t.send_state = 'sending' AND t.send_reason IS NULL`,
    },
    { table: 'send_reservations', column: 'expires_at', clock: 'real', stops: false },
  ],
});
