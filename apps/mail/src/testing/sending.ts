import { randomUUID } from 'node:crypto';
import { sends, type SendMessage, type SendReceipt, type SendReply } from '@postroom/contracts';
import type { Answer, MailboxOf, MailService } from './mail-service.js';

export const newSendKey = (): string => `key-${randomUUID()}`;

type Given = Partial<Omit<SendMessage, 'mailbox'>>;

/** A message as the gateway hands it on; its subject is no other's. */
export const aMessage = (given: Given = {}) => ({
  to: [{ email: 'camille@correspondent.example', name: 'Camille Martin' }],
  cc: [],
  bcc: [],
  subject: `Your order ${randomUUID()}`,
  body: '<p>It is on its <b>way</b>.</p>',
  attachments: [],
  ...given,
});

interface Sending {
  readonly idempotencyKey?: string;
  readonly timeoutMs?: number;
}

/** The answer to a send: its receipt, or its refusal. */
export type SendAnswer = Answer<
  SendReceipt & { readonly fields?: Readonly<Record<string, unknown>> }
>;

/** Sends as a key of the mailbox's workspace. */
export class Sendings {
  constructor(private readonly service: MailService) {}

  create(
    mailbox: MailboxOf,
    given: Given = {},
    { idempotencyKey = newSendKey(), ...options }: Sending = {},
  ): Promise<SendAnswer> {
    const input = { mailbox: mailbox.address, ...aMessage(given) };
    const caller = mailbox.caller;
    return this.service.call(sends.create, input, { caller, idempotencyKey, ...options });
  }

  reply(
    mailbox: MailboxOf,
    id: string,
    given: Partial<Omit<SendReply, 'mailbox' | 'id'>> = {},
    { idempotencyKey = newSendKey(), ...options }: Sending = {},
  ): Promise<SendAnswer> {
    const input = { mailbox: mailbox.address, id, ...aMessage(given) };
    const caller = mailbox.caller;
    return this.service.call(sends.reply, input, { caller, idempotencyKey, ...options });
  }
}
