import type { SealedColumn } from '@postroom/access';

/** Where the private keys of receipts are sealed. */
export const receiptKeySeal: SealedColumn = {
  ...{ table: 'receipt_keys', column: 'sealed_private_key', key: 'kid' },
  context: 'receipt key ',
};
