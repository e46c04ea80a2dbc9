import { Problem, wireAddress, type SendReceipt } from '@postroom/contracts';
import type { Sending, UnitOfWork } from '@postroom/operations';
import type { Log } from '@postroom/service';
import { unstage } from '../originals/index.js';
import {
  composedHereMax,
  NoConnection,
  whatItSaid,
  type Line,
  type Outcome,
  type Transport,
} from '../outgoing/index.js';
import { giveBack } from './give-back.js';
import { keepSent } from './keep-sent.js';
import { addressesOf } from './outgoing-message.js';
import { persistently } from './persistently.js';
import type { Attempted, Preparation, Ready } from './preparation.js';
import {
  duplicateProblem,
  refusedProblem,
  unconfirmedProblem,
  unknownProblem,
} from './refusals.js';
import {
  beginTransmission,
  failSend,
  releaseSend,
  renewSend,
  type HeldReservation,
} from './reservations.js';
import { sizeOf } from './send-request.js';
import { declareUnknown } from './unknown.js';

/** What attempts have in common. */
export interface AttemptResources {
  readonly preparation: Preparation;
  readonly transport: Transport;
  readonly work: UnitOfWork;
  readonly log: Log;
  /** The process ends. */
  readonly stopping: AbortSignal;
}

/** Where an attempt has got to. */
type Phase = 'preparing' | 'transmitting' | 'accepted';

/** One message on its way: prepare, transmit, keep the receipt, each step committed before the next. */
export class Attempt {
  private phase: Phase = 'preparing';
  /** What it is transmitted on. */
  private line: Line | undefined;
  /** Until then the server has all of it, or never will; epoch milliseconds. */
  private readonly handOverBy: number;
  /** What is not answered then comes too late for whoever asked. */
  private readonly answerBy: number;
  private readonly held: HeldReservation;

  constructor(
    private readonly resources: AttemptResources,
    private readonly context: Sending,
    private readonly attempted: Attempted,
  ) {
    const { mailboxId, idempotencyKey, token } = attempted.reservation;
    this.held = { mailboxId, idempotencyKey, token };
    // Parts of the time that is left, so that short deadlines work as long ones do.
    const left = context.deadlineMs - Date.now();
    this.handOverBy = context.deadlineMs - Math.min(10_000, left / 4);
    this.answerBy = context.deadlineMs - Math.min(4_000, left / 10);
  }

  /**
   * The answer of an attempt, in time: what is not known then is said to be unknown, while the attempt
   * goes on to its end.
   */
  async answer(working: Promise<SendReceipt>): Promise<SendReceipt> {
    const first = await this.inTime(working);
    if (first !== 'late') return first;
    working.catch((err: unknown) => this.note(err, 'ended after its answer'));
    if (this.phase === 'preparing') throw new Problem('OUTGOING_UNAVAILABLE');
    if (this.phase === 'accepted') throw unconfirmedProblem();
    await this.declareUnknown('no answer in time').catch((err: unknown) =>
      this.note(err, 'unknown, and not written down'),
    );
    throw unknownProblem();
  }

  /** What it comes to, or that its caller is not waited for any more. */
  async inTime<T>(working: Promise<T>): Promise<T | 'late'> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), Math.max(0, this.answerBy - Date.now()));
    });
    return Promise.race([working, late]).finally(() => clearTimeout(timer));
  }

  /** Says that whoever works on it lives. */
  async renew(): Promise<void> {
    await renewSend(this.context, this.held).catch((err: unknown) => this.note(err, 'no lease'));
  }

  /** @throws Problem */
  async run(): Promise<SendReceipt> {
    try {
      return await this.sent();
    } finally {
      if (this.phase === 'preparing') await this.unstage();
    }
  }

  private async sent(): Promise<SendReceipt> {
    const ready = await this.prepared();
    const outcome = await this.handedOver(ready);
    switch (outcome.kind) {
      case 'accepted':
        this.phase = 'accepted';
        return this.keep(ready, outcome);
      case 'refused':
        this.note(new Error(outcome.refused.said), 'not handed over');
        await this.writtenDown(() => failSend(this.context, this.held, outcome.refused));
        throw refusedProblem(outcome.refused, this.attempted.request);
      case 'unknown':
        this.note(new Error(outcome.said), 'handed over, and no last word');
        await this.writtenDown(() => this.declareUnknown(outcome.said));
        throw unknownProblem();
    }
  }

  /** What cannot be written down is unknown to whoever asks later, and so to this caller too. */
  private async writtenDown(write: () => Promise<void>): Promise<void> {
    try {
      await persistently(write);
    } catch (error) {
      this.note(error, 'an outcome was not written down');
      throw unknownProblem();
    }
  }

  private async prepared(): Promise<Ready> {
    try {
      return await this.resources.preparation.ready(this.context, this.attempted);
    } catch (error) {
      if (error instanceof Problem && error.status < 500)
        await releaseSend(this.context, this.held);
      else await this.failed(error);
      throw error;
    }
  }

  /** What may go otherwise another time is written down: the same request, delivered again, is told the same. */
  private async failed(error: unknown): Promise<void> {
    this.note(error, 'not prepared');
    const said = saidBy(error);
    const isRefused = error instanceof Problem && error.code === 'OUTGOING_REFUSED';
    const kind = isRefused ? 'mailbox' : 'unavailable';
    await persistently(() => failSend(this.context, this.held, { kind, said })).catch(
      (err: unknown) => this.note(err, 'a failure was not written down'),
    );
  }

  /** What is thrown here was thrown before the message's first command. */
  private async handedOver(ready: Ready): Promise<Outcome> {
    const { transport } = this.resources;
    try {
      return await transport.handOver(this.attempted.mailbox, this.handOverBy, async (line) => {
        await this.begin(ready);
        return this.transmit(line, ready);
      });
    } catch (error) {
      if (error instanceof Problem) throw error;
      const said = saidBy(error);
      const kind = error instanceof NoConnection && error.isForGood ? 'mailbox' : 'unavailable';
      return { kind: 'refused', refused: { kind, said } };
    }
  }

  /** Commits that the message may leave, or throws while it cannot have left. */
  private async begin({ outgoing, raw, isStaged }: Ready): Promise<void> {
    // Again, on another connection: the one before was closed before anything was said.
    if (this.phase === 'transmitting') return;
    if (this.resources.stopping.aborted || Date.now() >= this.handOverBy) {
      throw new NoConnection('too late');
    }
    const began = await beginTransmission(this.context, this.held, outgoing, isStaged ? null : raw);
    // This process was believed dead, and another has the key.
    if (!began) throw duplicateProblem(false);
    this.phase = 'transmitting';
  }

  private transmit(line: Line, { outgoing, raw }: Ready): Promise<Outcome> {
    this.line = line;
    const to = new Set(addressesOf(outgoing).map(wireAddress));
    const envelope = { from: wireAddress(this.attempted.mailbox.address), to: [...to] };
    const handOverMs = Math.max(0, this.handOverBy - Date.now());
    return line.transmit(envelope, raw, { handOverMs, signal: this.resources.stopping });
  }

  private async keep(
    { outgoing, raw, parsed }: Ready,
    { rejected, providerMessageId, isWritten }: Extract<Outcome, { kind: 'accepted' }>,
  ): Promise<SendReceipt> {
    const sizeBytes = raw.length;
    if (isWritten) giveBack(raw);
    const { tenantId, idempotencyKey } = this.context;
    const { mailbox, reservation } = this.attempted;
    try {
      return await persistently(() =>
        keepSent(this.resources.work, {
          tenantId,
          mailbox,
          idempotencyKey,
          outgoing,
          parsed,
          providerMessageId,
          messageId: reservation.messageId,
          sizeBytes,
          rejected,
          receiptSource: 'smtp',
        }),
      );
    } catch (err) {
      const { messageId } = reservation;
      this.resources.log.error({ err, messageId }, 'sends: a receipt was not kept');
      throw unconfirmedProblem();
    }
  }

  /** What is left of it otherwise is forgotten after an hour. */
  private async unstage(): Promise<void> {
    const { message, request } = this.attempted;
    // How long a signature is, the request does not say.
    if (sizeOf(request) <= composedHereMax && request.signatureId === undefined) return;
    await unstage(this.context, message).catch((err: unknown) =>
      this.note(err, 'its bytes stay for an hour'),
    );
  }

  private async declareUnknown(said: string): Promise<void> {
    const { tenantId } = this.context;
    await declareUnknown(
      this.resources.work,
      { tenantId, ...this.held },
      { said, rejected: this.line?.rejected },
    );
  }

  private note(err: unknown, what: string): void {
    const { requestId } = this.context;
    this.resources.log.warn({ err, requestId }, `sends: ${what}`);
  }
}

const saidBy = (error: unknown): string =>
  whatItSaid(error instanceof Error ? error.message : String(error));
