import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Keyring, type Caller } from '@postroom/access';
import { newId, Problem, type SendReceipt } from '@postroom/contracts';
import type { Sending } from '@postroom/operations';
import { LRUCache } from 'lru-cache';
import { MailConfig } from '../config.js';
import { MailMetrics } from '../mail-metrics.js';
import { Attempts } from './attempts.js';
import {
  duplicateProblem,
  limitedProblem,
  refusedProblem,
  reusedProblem,
  unverifiableProblem,
} from './refusals.js';
import { findSend, reserveSend } from './reservations.js';
import { fingerprintOf, messageIdOf, type SendRequest } from './send-request.js';
import { UnknownSends } from './unknown-sends.js';
import { fingerprintVersions, verdictOn, type Fingerprinted, type Reservation } from './verdict.js';

/** A receipt may stay this much longer than the 7 days of its reservation. */
const ttlMs = 10 * 60_000;
/** Limit for all cached receipts, as JSON; a receipt with the 500 addresses that a message may have is some 20,000. */
const charactersMax = 8 * 1024 * 1024;

/** A send that has its receipt. */
interface SentAs extends Fingerprinted {
  /** The id of the request on the bus that sent it. */
  readonly requestedBy: string;
  readonly receipt: SendReceipt;
}

/**
 * Receipts that this instance has seen committed, so that a repeat soon after costs no round trip to the
 * database (`hit-mem`, public-api.md §3). A receipt is final, so a cached one is never outdated; without
 * one the reservation is read. The gateway has checked before whether the caller may send.
 *
 * Sends are known by their derived Message-ID: a hash of workspace, mailbox and Idempotency-Key.
 */
@Injectable()
export class ReceiptCache {
  private readonly sends = new LRUCache<string, SentAs>({
    ttl: ttlMs,
    maxSize: charactersMax,
    sizeCalculation: (sent, messageId) => messageId.length + JSON.stringify(sent).length,
  });

  find(messageId: string): SentAs | undefined {
    return this.sends.get(messageId);
  }

  keep(messageId: string, sent: SentAs): void {
    this.sends.set(messageId, sent);
  }
}

/** Pause between two looks at a request that another process works on. */
const lookAgainMs = 100;

/** Sends messages, each at most once: a request begins here, as an attempt or as a repeat of one. */
@Injectable()
export class Sender {
  private readonly messageIdKey: Uint8Array;

  constructor(
    keyring: Keyring,
    private readonly attempts: Attempts,
    private readonly unknownSends: UnknownSends,
    private readonly receipts: ReceiptCache,
    private readonly config: MailConfig,
    private readonly metrics: MailMetrics,
  ) {
    this.messageIdKey = keyring.derive('message-id').current;
  }

  async send(context: Sending, request: SendRequest): Promise<SendReceipt> {
    const { tenantId, caller, idempotencyKey, messageId: requestedBy } = context;
    const { mailbox: address } = request;
    const fingerprint = fingerprintOf(request);
    const compared = comparedBy(caller, request, fingerprint);
    const messageId = messageIdOf(this.messageIdKey, tenantId, address, idempotencyKey);
    const sent = this.receipts.find(messageId);
    if (
      sent?.fingerprint === compared.fingerprint &&
      sent.fingerprintVersion === compared.fingerprintVersion
    ) {
      return repeated(context, sent, 'hit-mem');
    }
    const reserved = await reserveSend(context, {
      mailbox: address,
      idempotencyKey,
      ...compared,
      request: requestedBy,
      token: randomBytes(12).toString('base64url'),
      messageId,
      apiKey: caller.type === 'key' ? caller.keyId : null,
      limit: this.config.sendRateLimitPerMinute,
    });
    if (!reserved) throw new Problem('MAILBOX_NOT_FOUND');
    const { taken, reservation, mailbox, waitSeconds } = reserved;
    if (waitSeconds !== null) throw limitedProblem(waitSeconds);
    if (!taken) return this.repeat(context, reservation, request, compared);
    const message = newId('msg');
    const send = { request, mailbox, reservation, fingerprint, message };
    const receipt = await this.metrics.send(this.attempts.send(context, send));
    this.receipts.keep(messageId, { ...compared, requestedBy, receipt });
    return receipt;
  }

  /** Answers a request whose key another request has, or had: nothing is sent in any case. */
  private async repeat(
    context: Sending,
    found: Reservation,
    request: SendRequest,
    compared: Fingerprinted,
  ): Promise<SendReceipt> {
    const verdict = verdictOn(found, compared);
    switch (verdict.kind) {
      case 'hit': {
        const sent = { ...compared, requestedBy: found.request, receipt: verdict.receipt };
        this.receipts.keep(found.messageId, sent);
        return repeated(context, sent, 'hit');
      }
      case 'unverifiable':
        throw unverifiableProblem();
      case 'reused':
        throw reusedProblem();
      case 'refused':
        throw refusedProblem(verdict.refusal, request);
      case 'duplicate':
        return this.underWay(context, found, request);
      case 'open': {
        await this.unknownSends.settle({ tenantId: context.tenantId, ...found });
        const now = await findSend(context, found);
        if (!now || now.state === 'unknown') throw duplicateProblem(true);
        return this.repeat(context, now, request, compared);
      }
    }
  }

  /**
   * Refuses a repeat of a send that is under way. The same request, which the bus has delivered to this process
   * too, as it may when one joins or leaves the group, waits for its answer.
   */
  private async underWay(
    context: Sending,
    { request }: Reservation,
    again: SendRequest,
  ): Promise<SendReceipt> {
    const isSame = request === context.messageId;
    if (!isSame || Date.now() > context.deadlineMs) throw duplicateProblem(false);
    await sleep(lookAgainMs);
    return this.send(context, again);
  }
}

const comparedBy = (caller: Caller, { draft }: SendRequest, fingerprint: string): Fingerprinted =>
  draft === undefined
    ? {
        fingerprint,
        fingerprintVersion: fingerprintVersions[caller.type === 'key' ? 'key' : 'member'],
      }
    : { fingerprint: null, fingerprintVersion: null };

/** Answers with the receipt; a redelivery by the bus is not marked as the caller's repeat. */
function repeated(
  context: Sending,
  { requestedBy, receipt }: SentAs,
  from: 'hit' | 'hit-mem',
): SendReceipt {
  if (requestedBy !== context.messageId) context.header('x-svc-idempotency', from);
  return receipt;
}
