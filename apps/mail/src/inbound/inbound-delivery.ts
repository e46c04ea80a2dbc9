import type { MessageAuth } from '@postroom/contracts';
import type { MessageParser, ReadMessage } from '@postroom/mime';
import type { Log } from '@postroom/service';
import type { ReceivingMailbox } from '../messages/index.js';
import type { Origin, SenderAuthentication } from './authentication/sender-authentication.js';
import type { InboundStore } from './inbound-store.js';

/** The last hop of a message, as the client and the connection describe it. */
interface SmtpTransfer extends Origin {
  readonly recipient: string;
  /** `SMTP`, `ESMTP`, … (RFC 3848). */
  readonly protocol: string;
  readonly sessionId: string;
  readonly at: Date;
}

/** A message that a client has transferred, parsed and ready for its mailboxes. */
export interface TransferredMessage {
  readonly raw: Buffer;
  readonly parsed: ReadMessage;
  readonly transfer: Omit<SmtpTransfer, 'recipient'>;
  /** Absent where its sender was not checked. */
  readonly auth?: MessageAuth;
  /** True where DKIM or SPF passes for the domain of its sender. */
  readonly isAligned: boolean;
  /** Milliseconds of CPU that it takes to parse it and to store it once. */
  readonly costMs: number;
}

/** Milliseconds of CPU to store a mebibyte, measured in the database's process and ours together. */
const storingMsPerByte = 20 / (1024 * 1024);

/** Delivers transferred messages to mailboxes. */
export class InboundDelivery {
  constructor(
    private readonly parser: MessageParser,
    private readonly store: InboundStore,
    private readonly log: Log,
  ) {}

  /**
   * @param workspace that receives it, the first one of several
   * @param senders null where senders are not checked
   */
  async parse(
    raw: Buffer,
    workspace: string,
    transfer: TransferredMessage['transfer'],
    senders: SenderAuthentication | null,
  ): Promise<TransferredMessage> {
    const [parsed, checked] = await Promise.all([
      this.parser.parse(raw, workspace, transfer.from),
      senders?.check(raw, transfer),
    ]);
    const costMs = parsed.cpuMs + raw.length * storingMsPerByte + (checked?.costMs ?? 0);
    const isAligned = checked?.isAligned ?? false;
    return { raw, transfer, parsed, costMs, isAligned, ...(checked && { auth: checked.auth }) };
  }

  /** Resolves when the mailbox has the message; a copy is recognised by its Message-ID and content. */
  async deliver(
    { raw, parsed, transfer, auth, isAligned }: TransferredMessage,
    mailbox: ReceivingMailbox,
  ): Promise<void> {
    const { address } = mailbox;
    const { sessionId, from } = transfer;
    const trace = traceHeader({ ...transfer, recipient: address });
    const startedMs = performance.now();
    const sent = { mailbox, parsed, trace, raw, isAligned };
    const delivery = await this.store.store({ ...sent, ...(auth && { auth }) });
    this.log.info(
      {
        sessionId,
        from,
        mailbox: address,
        messageId: parsed.messageId,
        sizeBytes: raw.length,
        parsed: parsed.parsed,
        ...(auth && { auth }),
        ...delivery,
        tookMs: Math.round(performance.now() - startedMs),
      },
      'message received',
    );
  }
}

/** The trace header that final delivery adds (RFC 5321 §4.4): Return-Path and Received. */
export function traceHeader(transfer: SmtpTransfer): string {
  const { from, recipient, helo, clientAddress, protocol, serverName, sessionId, at } = transfer;
  const date = at.toUTCString().replace('GMT', '+0000');
  return (
    `Return-Path: <${from}>\r\n` +
    `Received: from ${nameOf(helo)} ([${clientAddress}])\r\n` +
    `\tby ${nameOf(serverName)} with ${protocol} id ${sessionId}\r\n` +
    `\tfor <${recipient}>; ${date}\r\n`
  );
}

/** The name of a client, without characters that have a meaning in the header. */
const nameOf = (name: string): string => name.replace(/[^\w.:[\]-]/g, '?') || 'unknown';
