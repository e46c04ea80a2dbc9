import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Answer } from './http.js';
import type { Product } from './product.js';
import { mailboxOf } from './wire.js';
import type { OwnKey, Workplace } from './workplace.js';

/** `X-Svc-Idempotency` of a repeated send: from memory of the instance, or from the reservation. */
export const repeated = /^hit(-mem)?$/;

/** The answer to a send. */
export interface Receipt {
  readonly id: string;
  readonly threadId: string;
  readonly accepted: readonly string[];
  readonly rejected: readonly string[];
  readonly providerMessageId: string;
  readonly receiptSource: string;
  readonly dlpStatus: string;
  readonly webhookDeferred?: boolean;
}

export const receiptOf = ({ status, text }: Answer): Receipt => {
  if (status !== 200) throw new Error(`Answered ${status}: ${text.slice(0, 2000)}`);
  return JSON.parse(text) as Receipt;
};

export const newKey = (): string => `e2e-send-${randomUUID()}`;

/** A body for `/v1/send` with a unique subject. */
export const aMessage = (mailbox: string, given: object = {}) => ({
  mailbox,
  to: 'Camille Martin <camille@correspondent.example>',
  subject: `Your order ${randomUUID()}`,
  body: '<p>It is on its <b>way</b>.</p>',
  ...given,
});

/** A key that may send from a mailbox and read it. */
export const senderFor = (place: Workplace, mailbox: string, scopes: readonly string[] = []) =>
  place.keyFor(mailbox, {
    scopes: ['mail:send', 'read:conversations', 'write:conversations', 'read:analytics', ...scopes],
  });

/** Makes a mailbox with its own outgoing mail server. */
export async function mailboxBehind(
  place: Workplace,
  { port }: { readonly port: number },
): Promise<string> {
  const address = await place.mailbox();
  const { text } = await place.settings.get('/mailboxes');
  const { items } = JSON.parse(text) as { items: { id: string; address: string }[] };
  const id = items.find((one) => one.address === address)?.id ?? '';
  const outgoing = { host: '127.0.0.1', port, secure: false, user: null };
  mailboxOf(await place.settings.patch(`/mailboxes/${id}`, { outgoing }));
  return address;
}

export const sendMessage = (api: OwnKey, body: object, key = newKey()): Promise<Answer> =>
  api.post('/v1/send', body, key);

/** Bytes at the start of a message in the outbox that include all of its headers. */
const headBytes = 1_048_576;

/** The messages in the product's outbox whose headers contain a text. */
export async function outboxWith(product: Product, containing: string): Promise<string[]> {
  const names = await readdir(product.outbox).catch(() => []);
  const eml = names.filter((name) => name.endsWith('.eml') && !name.startsWith('.')).sort();
  const texts: string[] = [];
  for (const name of eml) {
    const file = join(product.outbox, name);
    // By the end of a run the outbox has a gigabyte.
    const head = await buffer(createReadStream(file, { end: headBytes - 1 }));
    if (head.includes(containing)) texts.push(await readFile(file, 'utf8'));
  }
  return texts;
}
