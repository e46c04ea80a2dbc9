import { randomUUID } from 'node:crypto';
import { createTransport } from 'nodemailer';
import type Mail from 'nodemailer/lib/mailer/index.js';
import type { Product } from './product.js';

/** A Message-ID that no other message has, with its angle brackets. */
export const newMessageId = (): string => `<${randomUUID()}@correspondent.example>`;

/** Sends a message to the product's SMTP port with an ordinary client; throws when it is refused. */
export async function deliver(product: Product, mail: Mail.Options): Promise<void> {
  await createTransport({ ...product.smtp, secure: false, ignoreTLS: true }).sendMail({
    from: 'Camille Martin <camille@correspondent.example>',
    subject: 'Question about an order',
    text: 'Hello, where is my order?',
    messageId: newMessageId(),
    ...mail,
  });
}

/** A message whose bytes are given, to one mailbox. */
export function deliverRaw(product: Product, to: string, raw: string | Buffer): Promise<void> {
  return deliver(product, { envelope: { from: 'camille@correspondent.example', to }, raw });
}
