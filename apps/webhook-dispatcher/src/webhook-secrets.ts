import { randomBytes } from 'node:crypto';
import type { Keyring, SealedColumn } from '@postroom/access';
import { signatureHeaders, webhookSecret, type SignedDelivery } from '@postroom/contracts';

const inSubscriptions = (column: string): SealedColumn => ({
  ...{ table: 'subscriptions', column, key: 'id' },
  // The same for all, since a rotation moves the secrets from one column to the next.
  context: 'webhooks.subscriptions.secret:',
});

/** The columns of a subscription in which a secret is sealed. */
export const subscriptionSeals = {
  secret: inSubscriptions('sealed_secret'),
  previous: inSubscriptions('sealed_previous'),
  oldest: inSubscriptions('sealed_oldest'),
};

/** The secrets of a subscription as its row has them. */
export interface SealedSecrets {
  readonly sealed: string;
  /** The ones before the last rotations, while they sign too; the newest first. */
  readonly sealedBefore: readonly string[];
}

/** Makes, seals and uses the secrets of subscriptions; nothing else ever has one in plain text. */
export class WebhookSecrets {
  constructor(private readonly keyring: Keyring) {}

  /** A new secret: as it is shown this once, and as it is stored. */
  make(subscriptionId: string): { readonly secret: string; readonly sealed: string } {
    const secret = webhookSecret(randomBytes(32));
    return { secret, sealed: this.seal(secret, subscriptionId) };
  }

  /** A secret that its receiver has made, as it is stored. */
  seal(secret: string, subscriptionId: string): string {
    return this.keyring.encrypt(secret, subscriptionSeals.secret, subscriptionId);
  }

  open(sealed: string, subscriptionId: string): string {
    return this.keyring.decryptText(sealed, subscriptionSeals.secret, subscriptionId);
  }

  /** The headers that sign an attempt. */
  sign(
    delivery: SignedDelivery,
    subscriptionId: string,
    { sealed, sealedBefore }: SealedSecrets,
  ): Readonly<Record<string, string>> {
    const secrets = [sealed, ...sealedBefore];
    return signatureHeaders(
      delivery,
      secrets.map((one) => this.open(one, subscriptionId)),
    );
  }
}
