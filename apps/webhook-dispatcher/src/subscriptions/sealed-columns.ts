import type { SealedColumn } from '@postroom/access';

const inSubscriptions = (column: string): SealedColumn => ({
  ...{ table: 'subscriptions', column, key: 'id' },
  // The same for both, since a rotation moves the secret from one column to the other.
  context: 'webhooks.subscriptions.secret:',
});

/** The columns of a subscription in which a secret is sealed. */
export const subscriptionSeals = {
  secret: inSubscriptions('sealed_secret'),
  previous: inSubscriptions('sealed_previous'),
};
