import { Inject, Injectable } from '@nestjs/common';
import type { Log } from '@postroom/service';
import { Ingest, type Arrival, type Recipient } from '../inbound/index.js';
import { MessageParser } from '../parsing/index.js';
import { logToken } from '../resources.js';
import { traceHeader, type Handover } from './trace-header.js';

/** Delivers a received message to each of its mailboxes. */
@Injectable()
export class MailDrop {
  constructor(
    private readonly parser: MessageParser,
    private readonly ingest: Ingest,
    @Inject(logToken) private readonly log: Log,
  ) {}

  /**
   * Resolves when every mailbox has it. A failure leaves those that have it with it: the client tries
   * again with all, and they tell the copy from its Message-ID and content.
   */
  async deliver(
    raw: Buffer,
    recipients: readonly Recipient[],
    handover: Omit<Handover, 'recipient'>,
  ): Promise<void> {
    const parsed = await this.parser.parse(raw);
    for (const recipient of recipients) {
      const trace = traceHeader({ ...handover, recipient: recipient.address });
      await this.drop({ recipient, parsed, trace, raw }, handover);
    }
  }

  private async drop(
    arrival: Arrival,
    { from, sessionId }: Omit<Handover, 'recipient'>,
  ): Promise<void> {
    const { recipient, parsed, raw } = arrival;
    const startedMs = performance.now();
    const delivery = await this.ingest.deliver(arrival);
    this.log.info(
      {
        ...{ sessionId, from, mailbox: recipient.address, messageId: parsed.messageId },
        ...{ sizeBytes: raw.length, parsed: parsed.parsed, ...delivery },
        tookMs: Math.round(performance.now() - startedMs),
      },
      'mail arrived',
    );
  }
}
