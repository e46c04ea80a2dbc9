import type { MessageParser } from '@postroom/mime';
import type { Log } from '@postroom/service';
import type { Arrival, Ingest, Recipient } from '../inbound/index.js';
import { traceHeader, type Handover } from './trace-header.js';

/** A received message, read and ready for its mailboxes. */
export interface Letter {
  readonly raw: Buffer;
  readonly parsed: Arrival['parsed'];
  readonly handover: Omit<Handover, 'recipient'>;
  /** Milliseconds of CPU that it takes to read it and to store it once. */
  readonly costMs: number;
}

/** To bring a mebibyte into the database: measured in its process and in ours, together. */
const storingMsPerByte = 20 / (1024 * 1024);

/** Delivers received messages to mailboxes. */
export class MailDrop {
  constructor(
    private readonly parser: MessageParser,
    private readonly ingest: Ingest,
    private readonly log: Log,
  ) {}

  async read(raw: Buffer, handover: Letter['handover']): Promise<Letter> {
    const parsed = await this.parser.parse(raw, handover.from);
    return { raw, handover, parsed, costMs: parsed.cpuMs + raw.length * storingMsPerByte };
  }

  /** Resolves when the mailbox has it. Repeated, it tells the copy from its Message-ID and content. */
  async deliver({ raw, parsed, handover }: Letter, recipient: Recipient): Promise<void> {
    const { address } = recipient;
    const { sessionId, from } = handover;
    const trace = traceHeader({ ...handover, recipient: address });
    const startedMs = performance.now();
    const delivery = await this.ingest.deliver({ recipient, parsed, trace, raw });
    this.log.info(
      {
        ...{ sessionId, from, mailbox: address, messageId: parsed.messageId },
        ...{ sizeBytes: raw.length, parsed: parsed.parsed, ...delivery },
        tookMs: Math.round(performance.now() - startedMs),
      },
      'mail arrived',
    );
  }
}
