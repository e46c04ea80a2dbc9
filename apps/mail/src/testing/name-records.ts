import { generateKeyPairSync } from 'node:crypto';
import { startNameServer, type NameServer } from '@postroom/testing';
import { createTransport, type SendMailOptions } from 'nodemailer';

/** A domain that signs its mail, with the record that its key is found by. */
export interface SigningDomain {
  readonly domain: string;
  readonly selector: string;
  readonly privateKey: string;
  readonly record: Readonly<Record<string, readonly string[]>>;
}

export function aSigningDomain(domain: string, selector = 's1'): SigningDomain {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  return {
    domain,
    selector,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    record: { [`${selector}._domainkey.${domain}`]: [`v=DKIM1; k=rsa; p=${key}`] },
  };
}

/** A name server that knows these texts and addresses, and that there are no other names. */
export const namesOf = (
  texts: Readonly<Record<string, readonly string[]>>,
  addresses: Readonly<Record<string, readonly string[]>> = {},
): Promise<NameServer> =>
  startNameServer(
    (name) => addresses[name] ?? null,
    (name) => texts[name] ?? null,
  );

/** The bytes of a mail as nodemailer writes and, if asked to, signs them. */
export async function mailBytes(mail: SendMailOptions, signer?: SigningDomain): Promise<Buffer> {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  const dkim = signer && {
    domainName: signer.domain,
    keySelector: signer.selector,
    privateKey: signer.privateKey,
  };
  const { message } = await transport.sendMail({ ...mail, ...(dkim && { dkim }) });
  return Buffer.from(message as Buffer);
}
