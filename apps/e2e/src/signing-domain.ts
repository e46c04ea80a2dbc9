import { generateKeyPairSync } from 'node:crypto';
import { startNameServer } from '@postroom/testing';
import { startProduct } from './product-process.js';
import type { RunningProduct } from './product.js';

/** A domain that signs its mail and wants all other refused, and a product that asks who mail is from. */
export interface SigningDomain {
  readonly running: RunningProduct;
  /** For nodemailer: signs a message as the domain does. */
  readonly dkim: {
    readonly domainName: string;
    readonly keySelector: string;
    readonly privateKey: string;
  };
  /** Stops the product and its name server. */
  stop(): Promise<void>;
}

/** Starts a product on a name server of its own, which knows the domain alone. */
export async function startSigningDomain(domainName: string): Promise<SigningDomain> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const texts: Readonly<Record<string, readonly string[]>> = {
    [`s1._domainkey.${domainName}`]: [`v=DKIM1; k=rsa; p=${key}`],
    [`_dmarc.${domainName}`]: ['v=DMARC1; p=reject'],
  };
  const names = await startNameServer(
    () => null,
    (name) => texts[name] ?? null,
  );
  const running = await startProduct({ MAIL_AUTH: 'on', MAIL_AUTH_DNS_SERVERS: names.address });
  return {
    running,
    dkim: {
      domainName,
      keySelector: 's1',
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    },
    stop: async () => {
      await running.remove();
      names.close();
    },
  };
}
