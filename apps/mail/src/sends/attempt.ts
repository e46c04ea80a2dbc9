import { setTimeout as sleep } from 'node:timers/promises';
import { asProblem, type Sending, type UnitOfWork } from '@postroom/operations';
import { withTimeout } from '@postroom/concurrency';
import { Problem, wireAddress, type SendReceipt } from '@postroom/contracts';
import type { Log } from '@postroom/service';
import { unstage } from '../originals.js';
import {
  NoConnection,
  serverText,
  shortMax,
  type Outcome,
  type MessageConnection,
  type Transport,
} from '../outgoing/index.js';
import { recordSent } from './record-sent.js';
import { addressesOf, sizeOf } from './send-request.js';
import type { Preparation, PreparedMessage, ReservedSend } from './preparation.js';
import {
  duplicateProblem,
  refusedProblem,
  unconfirmedProblem,
  unknownProblem,
} from './refusals.js';
import {
  beginTransmission,
  declareUnknown,
  failSend,
  releaseSend,
  renewSend,
  type OwnReservation,
} from './reservations.js';
import type { SandboxReports } from './sandbox-reports.js';

/** The resources that all attempts share. */
export interface AttemptResources {
  readonly preparation: Preparation;
  readonly transport: Transport;
  readonly reports: SandboxReports;
  readonly work: UnitOfWork;
  readonly log: Log;
  /** Aborted when the process stops. */
  readonly stopping: AbortSignal;
}

/** The progress of an attempt. */
type Phase = 'preparing' | 'transmitting' | 'accepted';

/** One message on its way: prepare, transmit, record the receipt, each step committed before the next. */
export class Attempt {
  private phase: Phase = 'preparing';
  private connection: MessageConnection | undefined;
  /** When the server must have all of the message, epoch milliseconds; later it is not handed over. */
  private readonly handOverBy: number;
  /** When the caller must have an answer, epoch milliseconds. */
  private readonly answerBy: number;
  private readonly reservation: OwnReservation;

  constructor(
    private readonly resources: AttemptResources,
    private readonly context: Sending,
    private readonly send: ReservedSend,
  ) {
    const { mailboxId, idempotencyKey, token } = send.reservation;
    this.reservation = { mailboxId, idempotencyKey, token };
    // Fractions of the time left, so that short deadlines work as long ones do.
    const left = context.deadlineMs - Date.now();
    this.handOverBy = context.deadlineMs - Math.min(10_000, left / 4);
    this.answerBy = context.deadlineMs - Math.min(4_000, left / 10);
  }

  /**
   * Answers in time: an outcome that is not known by then is answered as unknown, and the attempt goes
   * on.
   */
  async answer(working: Promise<SendReceipt>): Promise<SendReceipt> {
    const first = await this.inTime(working);
    if (first !== 'late') return first;
    working.catch((err: unknown) =>
      this.warn(err, 'an attempt failed after its request was answered'),
    );
    if (this.phase === 'preparing') throw new Problem('OUTGOING_UNAVAILABLE');
    if (this.phase === 'accepted') throw unconfirmedProblem();
    await this.declareUnknown('no answer in time').catch((err: unknown) =>
      this.warn(err, 'recording an unknown outcome failed'),
    );
    throw unknownProblem();
  }

  /** The result of the work, or `late` when the caller must have an answer first. */
  inTime<T>(working: Promise<T>): Promise<T | 'late'> {
    return withTimeout(working, this.answerBy - Date.now(), () => 'late');
  }

  /** Extends the reservation's lease: this process still works on it. */
  async renew(): Promise<void> {
    await renewSend(this.context, this.reservation).catch((err: unknown) =>
      this.warn(err, 'renewing a lease failed'),
    );
  }

  /** @throws Problem */
  async perform(): Promise<SendReceipt> {
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
      case 'accepted': {
        this.phase = 'accepted';
        const receipt = await this.recordSent(ready, outcome);
        const { mailbox, reservation } = this.send;
        const sent = { mailbox, messageId: reservation.messageId, to: receipt.accepted };
        // The answers of test recipients are there before the receipt.
        await this.resources.reports.receive(this.context, sent);
        return receipt;
      }
      case 'refused':
        this.warn(new Error(outcome.refused.reason), 'a message was not handed over');
        await this.record(() => failSend(this.context, this.reservation, outcome.refused));
        throw refusedProblem(outcome.refused, this.send.request);
      case 'unknown':
        this.warn(new Error(outcome.reason), 'a message was handed over without a final reply');
        await this.record(() => this.declareUnknown(outcome.reason));
        throw unknownProblem();
    }
  }

  /** An outcome that cannot be recorded is unknown to later requests, and so to this caller too. */
  private async record(write: () => Promise<void>): Promise<void> {
    try {
      await retryWhileUnavailable(write);
    } catch (error) {
      this.warn(error, 'recording an outcome failed');
      throw unknownProblem();
    }
  }

  private async prepared(): Promise<PreparedMessage> {
    try {
      return await this.resources.preparation.prepare(this.context, this.send);
    } catch (error) {
      if (error instanceof Problem && error.status < 500)
        await releaseSend(this.context, this.reservation);
      else await this.recordFailure(error);
      throw error;
    }
  }

  /** Records the failure, so that a redelivery of the same request is answered the same. */
  private async recordFailure(error: unknown): Promise<void> {
    this.warn(error, 'preparing a message failed');
    const reason = reasonOf(error);
    const isRefused = error instanceof Problem && error.code === 'OUTGOING_REFUSED';
    const kind = isRefused ? 'mailbox' : 'unavailable';
    await retryWhileUnavailable(() =>
      failSend(this.context, this.reservation, { kind, reason }),
    ).catch((err: unknown) => this.warn(err, 'recording a failure failed'));
  }

  /** An error thrown within was thrown before the message's first SMTP command. */
  private async handedOver(ready: PreparedMessage): Promise<Outcome> {
    const { transport } = this.resources;
    try {
      const turn = { workspace: this.context.tenantId, untilMs: this.handOverBy };
      return await transport.handOver(this.send.mailbox, turn, async (connection) => {
        await this.commitTransmission(ready);
        return this.transmit(connection, ready);
      });
    } catch (error) {
      if (error instanceof Problem) throw error;
      const reason = reasonOf(error);
      const kind = error instanceof NoConnection && error.isForGood ? 'mailbox' : 'unavailable';
      return { kind: 'refused', refused: { kind, reason } };
    }
  }

  /** Commits that the message may leave, or throws while it cannot have left. */
  private async commitTransmission({ outgoing, raw, isStaged }: PreparedMessage): Promise<void> {
    // A second connection: the first was closed before any command was sent on it.
    if (this.phase === 'transmitting') return;
    if (this.resources.stopping.aborted || Date.now() >= this.handOverBy) {
      throw new NoConnection('too late');
    }
    const began = await beginTransmission(
      this.context,
      this.reservation,
      outgoing,
      isStaged ? null : raw,
    );
    // The lease had run out, and another process has the key.
    if (!began) throw duplicateProblem(false);
    this.phase = 'transmitting';
  }

  private transmit(
    connection: MessageConnection,
    { outgoing, raw }: PreparedMessage,
  ): Promise<Outcome> {
    this.connection = connection;
    const to = new Set(addressesOf(outgoing).map(wireAddress));
    const envelope = { from: wireAddress(this.send.mailbox.address), to: [...to] };
    const handOverMs = Math.max(0, this.handOverBy - Date.now());
    return connection.transmit(envelope, raw, { handOverMs, signal: this.resources.stopping });
  }

  private async recordSent(
    { outgoing, raw, parsed }: PreparedMessage,
    { rejected, providerMessageId, isWritten }: Extract<Outcome, { kind: 'accepted' }>,
  ): Promise<SendReceipt> {
    const sizeBytes = raw.length;
    if (isWritten) freeBuffer(raw);
    const { tenantId, idempotencyKey } = this.context;
    const { mailbox, reservation } = this.send;
    try {
      return await retryWhileUnavailable(() =>
        recordSent(this.resources.work, {
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
      this.resources.log.error({ err, messageId }, 'sends: recording a receipt failed');
      throw unconfirmedProblem();
    }
  }

  /** Deletes staged bytes at once; what is left is purged after an hour. */
  private async unstage(): Promise<void> {
    const { message, request } = this.send;
    // The length of the signature is not known from the request.
    if (sizeOf(request) <= shortMax && request.signatureId === undefined) return;
    await unstage(this.context, message).catch((err: unknown) =>
      this.warn(err, 'deleting staged bytes failed, they are purged after an hour'),
    );
  }

  private async declareUnknown(reason: string): Promise<void> {
    const { tenantId } = this.context;
    await declareUnknown(
      this.resources.work,
      { tenantId, ...this.reservation },
      { reason, rejected: this.connection?.rejected },
    );
  }

  private warn(err: unknown, what: string): void {
    const { requestId } = this.context;
    this.resources.log.warn({ err, requestId }, `sends: ${what}`);
  }
}

const reasonOf = (error: unknown): string =>
  serverText(error instanceof Error ? error.message : String(error));

/** Smaller buffers are left to the garbage collector. */
const largeBytes = 1024 * 1024;

/**
 * Frees the memory of a message that is no longer used. A few such buffers that wait to be collected make
 * the garbage collector scan the whole heap of the thread that serves requests.
 */
export function freeBuffer({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= largeBytes) buffer.transfer(0);
}

const firstPauseMs = 200;
const longestPauseMs = 10_000;
const retriesMs = 10 * 60_000;

/**
 * Retries a write that must not be lost (the message has left already) while the database is
 * unavailable, for ten minutes at most.
 * @throws the last error, or at once any other than unavailability
 */
async function retryWhileUnavailable<T>(write: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + retriesMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    try {
      return await write();
    } catch (error) {
      const isUnavailable = asProblem(error).code === 'SERVICE_UNAVAILABLE';
      if (!isUnavailable || performance.now() >= untilMs) throw error;
    }
    await sleep(pauseMs, undefined, { ref: false });
  }
}
