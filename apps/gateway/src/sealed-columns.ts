import type { SealedColumn } from '@postroom/access';

/** The column of the private keys of receipts, which is encrypted. */
export const receiptKeySeal: SealedColumn = {
  ...{ table: 'receipt_keys', column: 'sealed_private_key', key: 'kid' },
  context: 'receipt key ',
};

/** The column of the secrets of code applications. */
export const totpSeal: SealedColumn = {
  ...{ table: 'second_factors', column: 'sealed_totp', key: 'member_id' },
  context: 'code application of ',
};

/** The column of the secrets of workspaces at their sign-in providers. */
export const clientSecretSeal: SealedColumn = {
  ...{ table: 'sign_in_settings', column: 'sealed_client_secret', key: 'tenant_id' },
  context: 'sign-in client of ',
};
