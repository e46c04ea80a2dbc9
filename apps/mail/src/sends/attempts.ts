import {
  Inject,
  Injectable,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { actorOf } from '@postroom/access';
import { newId, Problem, wireAddress, type SendReceipt } from '@postroom/contracts';
import { asProblem, UnitOfWork, type Sending } from '@postroom/operations';
import type { Log } from '@postroom/service';
import {
  MessageComposer,
  NoConnection,
  Transport,
  type Line,
  type MailboxRow,
  type Outcome,
} from '../outgoing/index.js';
import { MessageParser, type ReadMessage } from '../parsing/index.js';
import { logToken } from '../resources.js';
import { answeredThread } from './answered-thread.js';
import { FileContents } from './file-contents.js';
import { keepSent } from './keep-sent.js';
import { addressesOf, type Outgoing } from './outgoing-message.js';
import { persistently } from './persistently.js';
import { refusedProblem, unconfirmedProblem, unknownProblem } from './refusals.js';
import {
  beginTransmission,
  failSend,
  leaseMs,
  releaseSend,
  renewSend,
  type Held,
} from './reservations.js';
import type { SendRequest } from './send-request.js';
import { declareUnknown } from './unknown.js';
import type { Reservation } from './verdict.js';

const renewEveryMs = leaseMs / 5;
/** At the end of the process: what is on its way may be answered meanwhile. */
const drainMs = 10_000;

/** A key that is this process's, and what is to be sent with it. */
export interface Attempted {
  readonly request: SendRequest;
  readonly mailbox: MailboxRow;
  readonly reservation: Reservation;
  readonly fingerprint: string;
}

/** Where an attempt has got to, and by when it must be somewhere, epoch milliseconds. */
interface Progress {
  phase: 'preparing' | 'transmitting' | 'accepted';
  /** Until then the server has all of it, or never will. */
  readonly handOverBy: number;
  /** What is not answered then comes too late for whoever asked. */
  readonly answerBy: number;
}

/** A message that is made, and everything its receipt will need. */
interface Ready {
  readonly outgoing: Outgoing;
  readonly raw: Buffer;
}

/**
 * Carries attempts out: prepare, transmit, keep the receipt, each step committed before the next. One
 * that its caller does not wait for any more goes on to its end.
 */
@Injectable()
export class Attempts implements OnModuleDestroy, OnApplicationShutdown {
  private readonly underWay = new Set<Promise<unknown>>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly composer: MessageComposer,
    private readonly transport: Transport,
    private readonly contents: FileContents,
    private readonly parser: MessageParser,
    private readonly work: UnitOfWork,
    @Inject(logToken) private readonly log: Log,
  ) {}

  async run(context: Sending, attempted: Attempted): Promise<SendReceipt> {
    const { mailboxId, idempotencyKey, token } = attempted.reservation;
    const held = { mailboxId, idempotencyKey, token };
    const progress = progressUntil(context.deadlineMs);
    const renewing = setInterval(() => {
      renewSend(context, held).catch((err: unknown) => this.log.warn({ err }, 'sends: a lease'));
    }, renewEveryMs);
    const working = this.attempt(context, attempted, held, progress).finally(() => {
      clearInterval(renewing);
      this.underWay.delete(working);
    });
    this.underWay.add(working);
    return this.inTime(context, held, working, progress);
  }

  /** The service is about to stop: what is on its way has a moment left. */
  onModuleDestroy(): void {
    setTimeout(() => this.stopping.abort(), drainMs).unref();
  }

  /** No request is served any more; waits for what is on its way. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.allSettled([...this.underWay]);
    this.transport.close();
  }

  private async inTime(
    context: Sending,
    held: Held,
    working: Promise<SendReceipt>,
    progress: Progress,
  ): Promise<SendReceipt> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), Math.max(0, progress.answerBy - Date.now()));
    });
    const first = await Promise.race([working, late]).finally(() => clearTimeout(timer));
    if (first !== 'late') return first;
    const { requestId } = context;
    working.catch((err: unknown) => this.log.warn({ err, requestId }, 'sends: ended too late'));
    if (progress.phase === 'preparing') throw new Problem('SERVICE_UNAVAILABLE');
    if (progress.phase === 'accepted') throw unconfirmedProblem();
    await this.declareUnknown(context, held, 'no answer in time').catch((err: unknown) =>
      this.log.warn({ err, requestId }, 'sends: unknown, and not written down'),
    );
    throw unknownProblem();
  }

  private async attempt(
    context: Sending,
    attempted: Attempted,
    held: Held,
    progress: Progress,
  ): Promise<SendReceipt> {
    const ready = await this.prepare(context, attempted).catch(async (error: unknown) => {
      await releaseSend(context, held);
      throw error;
    });
    let parsing: Promise<ReadMessage> | undefined;
    const outcome = await this.transport
      .handOver(attempted.mailbox, progress.handOverBy, async (line) => {
        await this.begin(context, held, ready, progress);
        parsing = this.parser.parse(ready.raw);
        // Awaited where it is needed.
        parsing.catch(() => undefined);
        return this.transmit(line, attempted, ready, progress);
      })
      .catch((error: unknown) => notHandedOver(error));
    if (outcome.kind === 'unknown') {
      await persistently(() => this.declareUnknown(context, held, outcome.said));
      throw unknownProblem(new Error(outcome.said));
    }
    if (outcome.kind === 'refused') {
      await persistently(() => failSend(context, held, outcome.refused));
      throw refusedProblem(outcome.refused);
    }
    progress.phase = 'accepted';
    return this.keep(context, attempted, ready, outcome, parsing);
  }

  private async prepare(context: Sending, attempted: Attempted): Promise<Ready> {
    const { request, mailbox, reservation } = attempted;
    const { tenantId, caller, operation, requestId } = context;
    const { to, cc, bcc, subject, body, priority = null, attachments } = request;
    const thread = await answeredThread(context, mailbox.id, request);
    const files = await this.contents.of(tenantId, attachments);
    const dateMs = Math.floor(Date.now() / 1000) * 1000;
    const { raw } = await this.composer.compose({
      from: {
        email: mailbox.address,
        name: mailbox.name === mailbox.address ? null : mailbox.name,
      },
      ...{ to, cc, subject, body, priority, dateMs, files },
      messageId: reservation.messageId,
      inReplyTo: thread.inReplyTo,
      references: thread.references,
      dkim: this.transport.dkimOf(mailbox),
    });
    const outgoing = {
      message: newId('msg'),
      conversationId: thread.conversationId,
      ...{ to, cc, bcc, sentAt: new Date(dateMs).toISOString() },
      ...{ actor: actorOf(caller), source: caller.source, operation, requestId },
      dlpStatus: 'ok' as const,
    };
    return { outgoing, raw: Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength) };
  }

  /** Commits that the message may leave, or throws while it cannot have left. */
  private async begin(
    context: Sending,
    held: Held,
    { outgoing, raw }: Ready,
    progress: Progress,
  ): Promise<void> {
    if (this.stopping.signal.aborted || Date.now() >= progress.handOverBy) {
      throw new NoConnection('too late');
    }
    const began = await beginTransmission(context, held, outgoing, raw);
    // Another process has it: this one was believed dead.
    if (!began) throw new NoConnection('the reservation was lost');
    progress.phase = 'transmitting';
  }

  private transmit(
    line: Line,
    { mailbox }: Attempted,
    { outgoing, raw }: Ready,
    { handOverBy }: Progress,
  ): Promise<Outcome> {
    const to = addressesOf(outgoing).map(wireAddress);
    const envelope = { from: wireAddress(mailbox.address), to: [...new Set(to)] };
    const handOverMs = Math.max(0, handOverBy - Date.now());
    return line.transmit(envelope, raw, { handOverMs, signal: this.stopping.signal });
  }

  private async keep(
    { tenantId, idempotencyKey }: Sending,
    { mailbox, reservation }: Attempted,
    { outgoing, raw }: Ready,
    outcome: Extract<Outcome, { kind: 'accepted' }>,
    parsing: Promise<ReadMessage> | undefined,
  ): Promise<SendReceipt> {
    const refused = new Set(outcome.rejected);
    try {
      const parsed = await (parsing ?? this.parser.parse(raw));
      return await persistently(() =>
        keepSent(this.work, {
          ...{ tenantId, mailbox, idempotencyKey, outgoing, parsed, sizeBytes: raw.length },
          messageId: reservation.messageId,
          rejected: addressesOf(outgoing).filter((email) => refused.has(wireAddress(email))),
          providerMessageId: outcome.providerMessageId,
          receiptSource: 'smtp',
        }),
      );
    } catch (err) {
      this.log.error({ err, messageId: reservation.messageId }, 'sends: a receipt was not kept');
      throw unconfirmedProblem(err);
    }
  }

  private async declareUnknown({ tenantId }: Sending, held: Held, said: string): Promise<void> {
    await declareUnknown(this.work, { tenantId, ...held }, said);
  }
}

/** Parts of the time that is left, so that short deadlines work as long ones do. */
function progressUntil(deadlineMs: number): Progress {
  const left = deadlineMs - Date.now();
  return {
    phase: 'preparing',
    handOverBy: deadlineMs - Math.min(10_000, left / 4),
    answerBy: deadlineMs - Math.min(4_000, left / 10),
  };
}

/** What was thrown before the message's first command, or the attempt's own fault: it did not leave. */
function notHandedOver(error: unknown): Extract<Outcome, { kind: 'refused' }> {
  if (!(error instanceof NoConnection)) {
    const { code } = asProblem(error);
    if (code === 'INTERNAL') throw error;
  }
  const said = error instanceof Error ? error.message : String(error);
  return { kind: 'refused', refused: { kind: 'unavailable', said } };
}
