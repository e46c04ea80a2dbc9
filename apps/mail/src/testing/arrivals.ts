import { hash, randomUUID } from 'node:crypto';
import type { ParsedMessage } from '@postroom/mime';
import { UnitOfWork } from '@postroom/operations';
import { Database } from '@postroom/persistence';
import type { InboundMessage } from '../messages/index.js';
import { InboundStore, type Delivery } from '../inbound/index.js';
import type { MailboxOf } from './mail-service.js';

/** A parsed message. */
export const aMessage = (given: Partial<ParsedMessage> = {}): ParsedMessage => ({
  subject: 'Question about an order',
  from: { email: 'camille@correspondent.example', name: 'Camille Martin' },
  to: [],
  cc: [],
  bcc: [],
  replyTo: [],
  messageId: `${randomUUID()}@correspondent.example`,
  inReplyTo: null,
  references: [],
  sentAt: null,
  text: 'Hello, where is my order?',
  html: null,
  extractedText: null,
  preview: 'Hello, where is my order?',
  recipientsTruncated: false,
  hasRemoteContent: false,
  attachments: [],
  isAutoReply: false,
  isBounce: false,
  priority: null,
  suspicions: [],
  parsed: true,
  ...given,
});

/** A message for a mailbox; its text determines its fingerprint. */
export function anInboundMessage(
  mailbox: MailboxOf,
  given: Partial<ParsedMessage> = {},
): InboundMessage {
  const parsed = aMessage(given);
  const { tenantId, id: mailboxId, address, automation } = mailbox;
  return {
    mailbox: { tenantId, mailboxId, address, automation },
    parsed: { ...parsed, fingerprint: hash('sha256', parsed.text ?? '') },
    trace: 'Return-Path: <>\r\n',
    raw: Buffer.from(`Subject: ${parsed.subject}\r\n\r\n${parsed.text}\r\n`),
  };
}

const noQuotas = { quotaStoredBytes: 2 ** 40, quotaArrivingBytes: 2 ** 40 };

/** Delivers without the listener, with twenty connections and no queue before them. */
export class Deliveries {
  private constructor(
    private readonly database: Database,
    private readonly store: InboundStore,
  ) {}

  static async open(url: string): Promise<Deliveries> {
    const poolSize = 22;
    const database = await Database.connect({ url, schema: 'mail', entities: [], poolSize });
    return new Deliveries(
      database,
      new InboundStore({ ...noQuotas, poolSize }, new UnitOfWork(database)),
    );
  }

  deliver(mailbox: MailboxOf, given: Partial<ParsedMessage> = {}): Promise<Delivery> {
    return this.store.store(anInboundMessage(mailbox, given));
  }

  /** Delivers, and answers the id of the message's conversation. */
  async place(mailbox: MailboxOf, given: Partial<ParsedMessage> = {}): Promise<string> {
    const delivery = await this.deliver(mailbox, given);
    if (delivery.outcome !== 'stored') throw new Error('The message is there already.');
    return delivery.conversationId;
  }

  close(): Promise<void> {
    return this.database.close();
  }
}
