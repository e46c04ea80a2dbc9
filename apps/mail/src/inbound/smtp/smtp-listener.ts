import { once } from 'node:events';
import { hostname } from 'node:os';
import { withTimeout } from '@postroom/concurrency';
import { networkOwners, type Budget, type NetworkKind } from '@postroom/limits';
import type { Log } from '@postroom/service';
import type {
  SMTPServerAddress,
  SMTPServerDataStream,
  SMTPServerEnvelope,
  SMTPServerSession,
} from 'smtp-server';
import type { MailConfig } from '../../config.js';
import type { ReceivingMailbox } from '../../messages/index.js';
import type { SenderAuthentication } from '../authentication/sender-authentication.js';
import type { InboundDelivery, TransferredMessage } from '../inbound-delivery.js';
import type { MailboxLookup } from '../mailbox-lookup.js';
import { ConnectionServer } from './connection-server.js';
import { MessageBuffer, receiveMessage } from './receive-message.js';
import type { SenderShares } from './sender-shares.js';
import { refusals, SmtpRefusal, type SmtpOutcome } from './smtp-refusal.js';

const messageBytesMax = 50 * 1024 * 1024;
/** RFC 5321 §4.5.3.1.8 asks for a hundred. */
const recipientsMax = 100;
const closeTimeoutMs = 8_000;
const keptReply = 'Message kept';

/** Commands of smtp-server that this listener has no use for. */
const disabledCommands = ['AUTH', 'STARTTLS', 'XCLIENT', 'XFORWARD', 'WIZ', 'SHELL', 'KILL'];

/** Parameters of MAIL that belong to what EHLO offers; RCPT has none (RFC 5321 §4.1.1.11). */
const mailParameters = ['SIZE', 'BODY', 'SMTPUTF8'];

const hasOthers = ({ args }: SMTPServerAddress, known: readonly string[]): boolean =>
  args !== false && Object.keys(args).some((name) => !known.includes(name));

type Reply = (error?: Error | null, message?: string | (string | SmtpRefusal)[]) => void;

/** The same mail under two protocols: LMTP answers for each recipient (RFC 2033 §4.2). */
export type Protocol = 'SMTP' | 'LMTP';

export interface SmtpListenerOptions {
  readonly protocol: Protocol;
  readonly config: MailConfig;
  /** Shared with other listeners of the process. */
  readonly arriving: Budget<NetworkKind>;
  readonly connections: Budget<NetworkKind>;
  /** Null where clients are not delayed. */
  readonly shares: SenderShares | null;
  /** Null where senders are not checked. */
  readonly senders: SenderAuthentication | null;
  readonly mailboxes: MailboxLookup;
  readonly delivery: InboundDelivery;
  readonly log: Log;
  /** Counts what becomes of a message for a recipient. */
  readonly received: (outcome: SmtpOutcome | 'bounce') => void;
}

/** Receives mail: answers 250 to a message only when the mailbox has it. */
export class SmtpListener {
  private readonly server: ConnectionServer;
  /** The mailboxes of an envelope, one for each RCPT that was answered with 250, in order. */
  private readonly accepted = new WeakMap<SMTPServerEnvelope, ReceivingMailbox[]>();
  /** Sessions with a message under way, until it has been answered. */
  private readonly busy = new Map<string, Promise<void>>();

  constructor(private readonly options: SmtpListenerOptions) {
    const { protocol, config, log } = options;
    this.server = new ConnectionServer(options.connections, {
      lmtp: protocol === 'LMTP',
      name: this.serverName,
      banner: 'Postroom',
      size: messageBytesMax,
      maxRecipients: recipientsMax,
      socketTimeout: config.smtpIdleTimeoutMs,
      closeTimeout: closeTimeoutMs,
      hideENHANCEDSTATUSCODES: false,
      disableReverseLookup: true,
      logger: false,
      disabledCommands,
      // Every address that a mail shows can be answered, and so it can write: with dots anywhere, too.
      lenientAddressParsing: true,
      onMailFrom: (address, { remoteAddress }, reply) => {
        if (hasOthers(address, mailParameters)) {
          reply(refusals.unknownParameter());
          return;
        }
        const delayed = this.options.shares?.delay(remoteAddress) ?? Promise.resolve();
        void delayed.then(() => reply(this.refusalFor(address, remoteAddress)));
      },
      onRcptTo: (address, { envelope }, reply) => {
        this.admit(address, envelope).then(
          () => {
            reply(null);
            // smtp-server keeps an address once, and answers for as many as it keeps.
            if (envelope.rcptTo.length < this.mailboxesOf(envelope).length) {
              envelope.rcptTo.push(address);
            }
          },
          (error: unknown) => reply(this.counted(this.refusalOf(error))),
        );
      },
      onData: (stream, session, reply: Reply) => {
        const answered = this.answer(stream, session, reply);
        this.busy.set(session.id, answered);
        void answered.then(() => this.busy.delete(session.id));
      },
    });
    // A client that disconnects in the middle of a message; other clients are served.
    this.server.on('error', (err) => log.debug({ err }, 'an SMTP connection failed'));
  }

  /** @returns the port */
  async listen(port: number): Promise<number> {
    const server = this.server.listen(port, this.options.config.smtpHost);
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address ? address.port : port;
  }

  /** Accepts no new message, and waits a few seconds for those under way. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(resolve));
    this.server.dismiss((session) => this.busy.has(session));
    await withTimeout(Promise.allSettled(this.busy.values()), closeTimeoutMs, () => undefined);
    this.server.dismiss(() => false);
    await closed;
  }

  private get serverName(): string {
    return this.options.config.smtpHostname ?? hostname();
  }

  /** The message is refused before it comes where it says how large it is. */
  private refusalFor({ args }: SMTPServerAddress, from: string): SmtpRefusal | null {
    try {
      this.options.arriving.require(networkOwners(from), args ? Number(args['SIZE'] ?? 0) : 0);
      return null;
    } catch {
      return this.counted(refusals.noRoom());
    }
  }

  private async admit(given: SMTPServerAddress, envelope: SMTPServerEnvelope): Promise<void> {
    if (hasOthers(given, [])) throw refusals.unknownParameter();
    const { address } = given;
    const accepted = this.accepted.get(envelope) ?? [];
    // smtp-server counts an address once, however often it is named.
    if (accepted.length >= recipientsMax) throw refusals.tooManyRecipients();
    accepted.push(await this.options.mailboxes.find(address));
    this.accepted.set(envelope, accepted);
  }

  private mailboxesOf(envelope: SMTPServerEnvelope): readonly ReceivingMailbox[] {
    return this.accepted.get(envelope) ?? [];
  }

  private async answer(
    stream: SMTPServerDataStream,
    session: SMTPServerSession,
    reply: Reply,
  ): Promise<void> {
    const mailboxes = this.mailboxesOf(session.envelope);
    const outcomes = await this.accept(stream, session).catch((error: unknown) => {
      const refusal = this.refusalOf(error);
      return new Map(mailboxes.map(({ mailboxId }) => [mailboxId, refusal]));
    });
    for (const refusal of outcomes.values()) this.options.received(refusal?.outcome ?? 'accepted');
    const refusalFor = ({ mailboxId }: ReceivingMailbox): SmtpRefusal | null =>
      outcomes.get(mailboxId) ?? null;
    if (this.options.protocol === 'LMTP') {
      reply(
        null,
        mailboxes.map((one) => refusalFor(one) ?? keptReply),
      );
    } else {
      reply(mailboxes.map(refusalFor).find((one) => one !== null) ?? null, keptReply);
    }
  }

  /** @returns by mailbox, how its delivery was refused, if it was */
  private async accept(
    stream: SMTPServerDataStream,
    session: SMTPServerSession,
  ): Promise<Map<string, SmtpRefusal | null>> {
    const { config, delivery, shares, senders } = this.options;
    const { envelope, remoteAddress } = session;
    const buffer = new MessageBuffer(this.options.arriving, networkOwners(remoteAddress));
    try {
      const raw = await receiveMessage(stream, buffer, config.smtpTransferMs);
      const mailboxes = this.mailboxesOf(envelope);
      const workspace = mailboxes[0]?.tenantId ?? '';
      const message = await delivery.parse(raw, workspace, this.transferOf(session), senders);
      shares?.charge(remoteAddress, message.costMs);
      return await this.deliver(message, mailboxes);
    } finally {
      buffer.release();
    }
  }

  /**
   * Delivers to each mailbox once: two addresses may belong to the same mailbox. The first refusal ends
   * an SMTP delivery, whose client tries again for all mailboxes; those that have it drop the copy.
   */
  private async deliver(
    message: TransferredMessage,
    mailboxes: readonly ReceivingMailbox[],
  ): Promise<Map<string, SmtpRefusal | null>> {
    const outcomes = new Map<string, SmtpRefusal | null>();
    for (const mailbox of mailboxes) {
      const { mailboxId } = mailbox;
      if (outcomes.has(mailboxId)) continue;
      const delivering = this.options.delivery.deliver(message, mailbox);
      const refusal = await delivering.then(
        () => null,
        (error: unknown) => this.refusalOf(error),
      );
      outcomes.set(mailboxId, refusal);
      if (!refusal && message.parsed.isBounce) this.options.received('bounce');
      if (refusal && this.options.protocol === 'SMTP') break;
    }
    return outcomes;
  }

  private transferOf(session: SMTPServerSession): TransferredMessage['transfer'] {
    const { envelope, hostNameAppearsAs, remoteAddress, transmissionType, id } = session;
    return {
      from: envelope.mailFrom ? envelope.mailFrom.address : '',
      helo: hostNameAppearsAs,
      clientAddress: remoteAddress,
      protocol: transmissionType,
      serverName: this.serverName,
      sessionId: id,
      at: new Date(),
    };
  }

  private counted(refusal: SmtpRefusal): SmtpRefusal {
    this.options.received(refusal.outcome);
    return refusal;
  }

  /** Any other error is our own failure: the client keeps the message and tries again. */
  private refusalOf(error: unknown): SmtpRefusal {
    if (error instanceof SmtpRefusal) return error;
    this.options.log.error({ err: error }, 'an inbound message could not be stored');
    return refusals.cannotStore();
  }
}
