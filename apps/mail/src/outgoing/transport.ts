import { hash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { isSandbox } from '@postroom/contracts';
import type { DkimKey } from '@postroom/mime';
import { fail, inSpan } from '@postroom/tracing';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { MailConfig } from '../config.js';
import { MailboxSecrets, MailServerTargets, type MailboxEntity } from '../mailboxes/index.js';
import {
  NoConnection,
  SmtpConnections,
  smtpServerOf,
  takesUtf8,
  type ConnectionTurn,
  type SmtpServer,
} from './smtp-connections.js';
import { OutgoingLogins } from './smtp-login.js';
import { transmit, type Envelope, type Outcome } from './transmission.js';

/** The columns of a mailbox that sending needs. */
export type SendingMailbox = Pick<MailboxEntity, 'id' | 'address' | 'name' | 'outgoing' | 'dkim'>;

/** Hands messages over to the mail server of their mailbox, or to the deployment's. */
@Injectable()
export class Transport {
  private readonly connections: SmtpConnections;

  constructor(
    @Inject(MailConfig) private readonly config: MailConfig,
    private readonly secrets: MailboxSecrets,
    private readonly logins: OutgoingLogins,
    targets: MailServerTargets,
  ) {
    const { outgoingConnectionsMax, smtpHostname } = config;
    this.connections = new SmtpConnections(outgoingConnectionsMax, smtpHostname, targets.outgoing);
  }

  /**
   * Runs `use` once a server waits for the first command of a message. This is the one place where messages leave;
   * those of a sandbox go no further.
   * @param turn whose message it is, and when it must have begun
   * @throws NoConnection
   */
  async handOver(
    mailbox: SendingMailbox,
    turn: ConnectionTurn,
    use: (connection: MessageConnection) => Promise<Outcome>,
  ): Promise<Outcome> {
    if (isSandbox(turn.workspace)) return use(outOfSandbox);
    return inSpan('SMTP message', { kind: 'client' }, async (span) => {
      const outcome = await this.onConnection(mailbox, turn, use);
      if (outcome.kind !== 'accepted') fail(span, outcome.kind);
      return outcome;
    });
  }

  private onConnection(
    mailbox: SendingMailbox,
    turn: ConnectionTurn,
    use: (connection: MessageConnection) => Promise<Outcome>,
  ): Promise<Outcome> {
    return this.connections.withConnection<Outcome>(
      this.serverOf(mailbox, turn.workspace),
      turn,
      async (connection) => {
        const value = await use(new ReadyConnection(connection, this.config.outgoingAnswerMs));
        if (value.kind === 'accepted') return { value, then: 'keep' };
        const isStale = value.kind === 'refused' && value.isStale === true;
        return { value, then: isStale ? 'again' : 'close' };
      },
    );
  }

  /** The key that signs a mailbox's messages, if it has one. */
  dkimOf(mailbox: SendingMailbox): DkimKey | null {
    const privateKey = this.secrets.dkimKey(mailbox);
    if (!mailbox.dkim || privateKey === null) return null;
    const domain = mailbox.address.slice(mailbox.address.lastIndexOf('@') + 1);
    return { domain, selector: mailbox.dkim.selector, privateKey };
  }

  /**
   * True if the provider of a mailbox is known to have accepted a message; false proves nothing. At an account elsewhere
   * the process that reads it looks for the copy (imap/sent-copies.ts).
   */
  async hasTaken(mailbox: SendingMailbox, messageId: string): Promise<boolean> {
    const { outgoingOutboxDir } = this.config;
    if (mailbox.outgoing || outgoingOutboxDir === null) return false;
    return findInOutbox(outgoingOutboxDir, messageId);
  }

  /** Begins no further message. */
  stop(): void {
    this.connections.stop();
  }

  close(): void {
    this.connections.close();
  }

  private serverOf(mailbox: SendingMailbox, tenantId: string): SmtpServer {
    const { id: mailboxId, outgoing } = mailbox;
    if (outgoing) {
      const { host, port, secure, user } = outgoing;
      const password = this.secrets.outgoingPassword(mailbox);
      const account = user === null ? null : { tenantId, mailboxId, host, user, password };
      const login = account && this.logins.outgoing(account);
      const sharedBy = password ?? mailboxId;
      return { host, port, secure, login, sharedBy, isGuarded: true };
    }
    if (this.config.outgoingSmtpUrl === null) throw new NoConnection('no outgoing server is set');
    return smtpServerOf(this.config.outgoingSmtpUrl);
  }
}

/** The envelope that nodemailer has sent; it reports it only with the final reply. */
interface SentEnvelope {
  readonly _envelope?: { readonly rejected: readonly string[] } | false;
}

/** A connection whose server is ready for a message. */
export class ReadyConnection {
  constructor(
    private readonly connection: SMTPConnection,
    private readonly answerMs: number,
  ) {}

  /** Recipients of the last message that the server has refused, as SMTP carries addresses. */
  get rejected(): readonly string[] {
    const { _envelope: envelope } = this.connection as SentEnvelope;
    return envelope ? envelope.rejected : [];
  }

  /** @param times in which all of it must be transmitted, and what ends the wait for the reply */
  transmit(
    envelope: Envelope,
    raw: Buffer,
    times: { readonly handOverMs: number; readonly signal: AbortSignal },
  ): Promise<Outcome> {
    if (!isAscii(envelope) && !takesUtf8(this.connection)) return Promise.resolve(beyondAscii);
    return transmit(this.connection, envelope, raw, { ...times, answerMs: this.answerMs });
  }
}

/** A connection as the owner of a message uses it. */
export type MessageConnection = Pick<ReadyConnection, 'rejected' | 'transmit'>;

const testAddress = /^(reject|bounce|complain)(?:\+[\w.-]{1,40})?@sandbox\.invalid$/i;

/** The fate of a message to a recipient that is there for tests: `reject`, `bounce` or `complain`. */
export const testRecipient = (address: string): string | undefined =>
  testAddress.exec(address)?.[1]?.toLowerCase();

/** Takes the messages of a sandbox, but for the recipients that are to be refused. */
const outOfSandbox: MessageConnection = {
  rejected: [],
  transmit: ({ to }) => {
    const rejected = to.filter((address) => testRecipient(address) === 'reject');
    const refused = { kind: 'recipients', reason: '550 5.1.1 no such mailbox' } as const;
    return Promise.resolve(
      rejected.length === to.length
        ? { kind: 'refused', refused }
        : { kind: 'accepted', rejected, providerMessageId: null, isWritten: true },
    );
  },
};

const isAscii = ({ from, to }: Envelope): boolean =>
  [from, ...to].every((address) => /^[ -~]*$/.test(address));

/** RFC 6531 §3.5: such an address stands in the header too, so the message cannot be sent to any recipient. */
const beyondAscii: Outcome = {
  kind: 'refused',
  refused: { kind: 'recipients', reason: 'the server takes no addresses beyond ASCII (SMTPUTF8)' },
};

/**
 * Looks in a folder for the file of a message, whose name holds a digest of its Message-ID (given here without
 * angle brackets): `OUTGOING_OUTBOX_DIR`. The server of `libs/local` names its files so.
 */
export async function findInOutbox(folder: string, messageId: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  const wanted = `-${hash('sha256', messageId, 'hex').slice(0, 24)}-`;
  return names.some((name) => name.includes(wanted) && !name.startsWith('.'));
}
