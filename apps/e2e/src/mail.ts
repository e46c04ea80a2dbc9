import { randomUUID } from 'node:crypto';
import MailComposer from 'nodemailer/lib/mail-composer/index.js';
import type Mail from 'nodemailer/lib/mailer/index.js';
import type { Product } from './product.js';
import { SmtpDialogue } from './smtp-dialogue.js';

/** A Message-ID that no other message has, with its angle brackets. */
export const newMessageId = (): string => `<${randomUUID()}@correspondent.example>`;

/** A message as a mail client would write it; what is not given is made up. */
export const writeMail = (mail: Mail.Options): Mail.Options => ({
  from: 'Camille Martin <camille@correspondent.example>',
  subject: 'Question about an order',
  text: 'Hello, where is my order?',
  messageId: newMessageId(),
  ...mail,
});

/** Sends a message to the product's SMTP port; throws when it is refused. */
export async function deliver(product: Product, mail: Mail.Options): Promise<void> {
  const node = new MailComposer(writeMail(mail)).compile();
  const { from, to } = node.getEnvelope();
  await send(product, from || '', to, await node.build());
}

/** Sends raw bytes as a message to one mailbox, with CRLF line ends. */
export function deliverRaw(product: Product, to: string, raw: string | Buffer): Promise<void> {
  const bytes = Buffer.from(raw).toString('latin1').replaceAll(/\r?\n/g, '\r\n');
  return send(product, 'camille@correspondent.example', [to], Buffer.from(bytes, 'latin1'));
}

/** Connections prepared for the next message, since a server may delay its greeting. */
const idle: { readonly port: number; readonly dialogue: SmtpDialogue }[] = [];

async function send(
  product: Product,
  from: string,
  to: readonly string[],
  raw: Buffer,
): Promise<void> {
  const { port } = product.smtp;
  const waiting = idle.findIndex((one) => one.port === port && one.dialogue.isOpen);
  const dialogue =
    idle.splice(waiting, waiting < 0 ? 0 : 1)[0]?.dialogue ?? (await greeted(product));
  dialogue.socket.ref();
  await dialogue.send(from, to, raw).catch((error: unknown) => {
    dialogue.close();
    throw error;
  });
  // It must not keep the process alive.
  dialogue.socket.unref();
  idle.push({ port, dialogue });
}

async function greeted(product: Product): Promise<SmtpDialogue> {
  const dialogue = await SmtpDialogue.open(product);
  await dialogue.say('EHLO correspondent.example');
  return dialogue;
}
