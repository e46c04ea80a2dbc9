import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { SendReceipt } from '@postroom/contracts';
import type { Fingerprinted } from './verdict.js';

/** A receipt may stay this much longer than the 7 days of its reservation. */
const ttlMs = 10 * 60_000;
/** Of all cached receipts, as JSON; a receipt with the 500 addresses that a message may have is some 20,000. */
const charactersMax = 8 * 1024 * 1024;

/** A send that has its receipt. */
export interface SentAs extends Fingerprinted {
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
