import { once } from 'node:events';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Log } from '@postroom/service';
import type { SMTPServerAddress, SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import { MailConfig } from '../config.js';
import type { Recipient } from '../inbound/index.js';
import { logToken } from '../resources.js';
import { MailDrop } from './mail-drop.js';
import { MessageBuffer } from './message-buffer.js';
import { receiveMessage } from './receive-message.js';
import { ReceptionBudget } from './reception-budget.js';
import { Recipients } from './recipients.js';
import { ConnectionServer } from './smtp-connection.js';
import { refusals, SmtpRefusal } from './smtp-refusal.js';

const messageBytesMax = 50 * 1024 * 1024;
/** RFC 5321 §4.5.3.1.8 asks for a hundred. */
const recipientsMax = 100;
const closeTimeoutMs = 8_000;

/** Commands of smtp-server that this listener has no use for. */
const disabledCommands = ['AUTH', 'STARTTLS', 'XCLIENT', 'XFORWARD', 'WIZ', 'SHELL', 'KILL'];

type Reply = (error?: Error | null, message?: string) => void;

/** Where mail arrives: answers 250 to a message only when every mailbox has it. */
@Injectable()
export class SmtpListener {
  private readonly server: ConnectionServer;
  private readonly budget: ReceptionBudget;
  /** Of the recipients that a client has been given a 250 for. */
  private readonly mailboxes = new WeakMap<SMTPServerAddress, Recipient>();
  /** Sessions with a message under way, until it has been answered. */
  private readonly busy = new Map<string, Promise<void>>();

  constructor(
    private readonly config: MailConfig,
    private readonly recipients: Recipients,
    private readonly drop: MailDrop,
    @Inject(logToken) private readonly log: Log,
  ) {
    this.budget = new ReceptionBudget(config.smtpMemoryBytes);
    this.server = new ConnectionServer({
      name: this.serverName,
      banner: 'Postroom',
      size: messageBytesMax,
      maxRecipients: recipientsMax,
      maxClients: config.smtpClientsMax,
      socketTimeout: config.smtpIdleTimeoutMs,
      closeTimeout: closeTimeoutMs,
      hideENHANCEDSTATUSCODES: false,
      disableReverseLookup: true,
      logger: false,
      disabledCommands,
      onMailFrom: (address, _session, reply) => {
        reply(this.hasRoomFor(address) ? null : refusals.noRoom());
      },
      onRcptTo: (address, _session, reply) => void this.settle(this.admit(address), reply),
      onData: (stream, session, reply) => {
        const answered = this.settle(this.accept(stream, session), reply);
        this.busy.set(session.id, answered);
        void answered.then(() => this.busy.delete(session.id));
      },
    });
    // A client that breaks off in the middle of a message; the next one is served.
    this.server.on('error', (err) => this.log.debug({ err }, 'an SMTP connection failed'));
  }

  async listen(): Promise<void> {
    const { smtpHost, smtpPort } = this.config;
    await once(this.server.listen(smtpPort, smtpHost), 'listening');
  }

  /** The port it listens on. */
  get port(): number {
    const address = this.server.server.address();
    if (address === null || typeof address === 'string') {
      throw new Error('The SMTP listener is not listening.');
    }
    return address.port;
  }

  /** Takes no new message, and waits for those under way, but not for long. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(resolve));
    this.server.dismiss((session) => this.busy.has(session));
    const timeIsUp = wait(closeTimeoutMs, undefined, { ref: false });
    await Promise.race([Promise.allSettled(this.busy.values()), timeIsUp]);
    this.server.dismiss(() => false);
    await closed;
  }

  private get serverName(): string {
    return this.config.smtpHostname ?? hostname();
  }

  private hasRoomFor({ args }: SMTPServerAddress): boolean {
    return this.budget.hasRoom(args ? Number(args['SIZE'] ?? 0) : 0);
  }

  private async admit(address: SMTPServerAddress): Promise<void> {
    this.mailboxes.set(address, await this.recipients.find(address.address));
  }

  private async accept(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const { envelope, hostNameAppearsAs, remoteAddress, transmissionType } = session;
    const buffer = new MessageBuffer(this.budget);
    try {
      const raw = await receiveMessage(stream, buffer, this.config.smtpTransferMs);
      await this.drop.deliver(raw, this.mailboxesOf(envelope.rcptTo), {
        from: envelope.mailFrom ? envelope.mailFrom.address : '',
        helo: hostNameAppearsAs,
        clientAddress: remoteAddress,
        protocol: transmissionType,
        serverName: this.serverName,
        sessionId: session.id,
        at: new Date(),
      });
      return 'Message kept';
    } finally {
      buffer.release();
    }
  }

  /** Each mailbox once: two addresses may mean the same one. */
  private mailboxesOf(addresses: readonly SMTPServerAddress[]): Recipient[] {
    const found = addresses.flatMap((address) => this.mailboxes.get(address) ?? []);
    return [...new Map(found.map((recipient) => [recipient.mailboxId, recipient])).values()];
  }

  private async settle(work: Promise<string | void>, reply: Reply): Promise<void> {
    let refusal: SmtpRefusal | null = null;
    const message = await work.catch((error: unknown) => void (refusal = this.refusalOf(error)));
    reply(refusal, message ?? undefined);
  }

  /** What is no refusal is a fault of ours: the client keeps the message and comes again. */
  private refusalOf(error: unknown): SmtpRefusal {
    if (error instanceof SmtpRefusal) return error;
    this.log.error({ err: error }, 'an arriving message could not be stored');
    return refusals.cannotStore();
  }
}
