import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { SendReceipt } from '@postroom/contracts';

/** Past the 7 days of its reservation a receipt is here for so long at most. */
const keptMs = 10 * 60_000;
/** Of all that is kept, as JSON; a receipt with the 500 addresses that a message may have is some 20,000. */
const charactersMax = 8 * 1024 * 1024;

/** A send that has its receipt. */
export interface SentAs {
  readonly fingerprint: string;
  /** The request on the bus that it is the answer of. */
  readonly askedBy: string;
  readonly receipt: SendReceipt;
}

/**
 * Receipts that this instance has seen committed, so that a repeat soon after costs no trip to the
 * database (`hit-mem`, public-api.md §3). A receipt is final: what is here is never outdated, and what is
 * not is asked of the reservation. Whether the caller may send was judged before, at the gateway.
 *
 * Sends are known by their derived Message-ID: a hash of workspace, mailbox and Idempotency-Key.
 */
@Injectable()
export class ReceiptCache {
  private readonly sends = new LRUCache<string, SentAs>({
    ttl: keptMs,
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
