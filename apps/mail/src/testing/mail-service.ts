import { randomUUID } from 'node:crypto';
import type { Caller } from '@postroom/access';
import {
  conversations,
  fileParts,
  internalEventGroups,
  mailboxes,
  newId,
  nextPartHeader,
  type ConversationMoved,
  type ListedConversation,
  type ConversationPage,
  type Mailbox,
  type MailboxAnswer,
} from '@postroom/contracts';
import { aKey, anAdmin, TestService, type Answer } from '@postroom/service-testing';
import { createTransport, type SendMailOptions, type SentMessageInfo } from 'nodemailer';
import { domainOfAddress } from '../domains/index.js';
import { mailService, type MailApp } from '../index.js';

export type { Answer, Audited } from '@postroom/service-testing';

/** A mail service with a database of its own, spoken to as the gateway and mail clients do. */
export class MailService extends TestService<MailApp> {
  static start(env: NodeJS.ProcessEnv = {}): Promise<MailService> {
    return MailService.launch(mailService, {
      SMTP_PORT: '0',
      SMTP_HOSTNAME: 'mx.test',
      // Specs ask no name servers but their own.
      MAIL_AUTH: 'off',
      MAIL_SERVER_ALLOWED_CIDRS: '127.0.0.0/8',
      // A limit that no spec reaches by accident.
      SEND_RATE_LIMIT_PER_MINUTE: '1000000',
      ...env,
    });
  }

  private acme: string | undefined;

  get smtpPort(): number {
    return this.service.mailPorts().smtp;
  }

  /** Set if it was started with LMTP_PORT. */
  get lmtpPort(): number {
    const { lmtp } = this.service.mailPorts();
    if (lmtp === null) throw new Error('Nothing listens for LMTP.');
    return lmtp;
  }

  /** Gives a workspace a domain that no other has. */
  async giveDomain(tenantId: string, name: string): Promise<void> {
    await this.rows(
      `INSERT INTO domains (tenant_id, id, name, token, verified_at, created_at)
       VALUES ($1, $2, $3, $2, now(), now()) ON CONFLICT DO NOTHING`,
      [tenantId, newId('dom'), name],
    );
  }

  /** `acme.test` is the first workspace's; each other one has a domain of its own. */
  private domainOf(tenantId: string): string {
    this.acme ??= tenantId;
    return tenantId === this.acme ? 'acme.test' : `${tenantId.slice(4).toLowerCase()}.test`;
  }

  /** A new mailbox; of a new workspace, when none is named. */
  async mailbox(given: Partial<Mailbox> & { tenantId?: string } = {}): Promise<MailboxOf> {
    const { tenantId = aKey().tenantId } = given;
    const { address = `box-${randomUUID()}@${this.domainOf(tenantId)}` } = given;
    const { automation = true, access = 'workspace', outgoing = null } = given;
    const input = { address, automation, access, outgoing };
    const caller = anAdmin({ tenantId });
    await this.giveDomain(tenantId, domainOfAddress(address));
    const answer = await this.call<MailboxAnswer>(mailboxes.create, input, { caller });
    if (answer.status !== 201) throw new Error(`mailbox: ${answer.problem}`);
    return { ...answer.body.mailbox, tenantId, caller: aKey({ tenantId }) };
  }

  /** Sends a message with an ordinary mail client. */
  send(mail: SendMailOptions): Promise<SentMessageInfo> {
    const transport = createTransport({ host: '127.0.0.1', port: this.smtpPort, ignoreTLS: true });
    return transport.sendMail({
      from: 'Camille Martin <camille@correspondent.example>',
      subject: 'Question about an order',
      text: 'Hello, where is my order?',
      messageId: `<${randomUUID()}@correspondent.example>`,
      ...mail,
    });
  }

  /** The parts of a large file, as the gateway asks for them: each names the next one. */
  async partsOf({ address, caller }: MailboxOf, first: Answer): Promise<Buffer[]> {
    const parts = [first.bytes];
    for (let answer = first; ;) {
      const { [nextPartHeader]: part } = answer.headers;
      if (typeof part !== 'string') return parts;
      answer = await this.call(fileParts.get, { mailbox: address, part }, { caller });
      parts.push(answer.bytes);
    }
  }

  /** The first page of a mailbox. */
  async list({ address, caller }: MailboxOf, limit = 100): Promise<ListedConversation[]> {
    const input = { mailbox: address, limit, placement: 'inbox' as const };
    const { body } = await this.call<ConversationPage>(conversations.list, input, { caller });
    return body.conversations;
  }

  /** The internal events about changes that have no public event. */
  async notices({ tenantId }: MailboxOf): Promise<{ type: string; conversation: object }[]> {
    const found = await this.rows<{ type: string; envelope: string }>(
      `SELECT type, envelope, created_at FROM outbox WHERE tenant_id = $1 AND type = ANY ($2)
       UNION ALL SELECT type, envelope, created_at FROM published_events
       WHERE tenant_id = $1 AND type = ANY ($2) ORDER BY created_at`,
      [tenantId, internalEventGroups.conversations],
    );
    return found.map(({ type, envelope }) => {
      const { conversation } = JSON.parse(envelope) as ConversationMoved;
      return { type, conversation };
    });
  }

  /** A conversation that a message has begun. */
  async conversation(mailbox: MailboxOf, mail: SendMailOptions = {}): Promise<ListedConversation> {
    await this.send({ to: mailbox.address, ...mail });
    const [newest] = await this.list(mailbox, 1);
    if (!newest) throw new Error('The message did not arrive.');
    return newest;
  }
}

/** A mailbox, its workspace, and a key of that workspace. */
export type MailboxOf = Mailbox & { readonly tenantId: string; readonly caller: Caller };
