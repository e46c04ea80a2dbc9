import type { SealedColumn } from '@postroom/access';

/** The column of the private keys of receipts, which is encrypted. */
export const receiptKeySeal: SealedColumn = {
  ...{ table: 'receipt_keys', column: 'sealed_private_key', key: 'kid' },
  context: 'receipt key ',
};
