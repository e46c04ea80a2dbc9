import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { SendReceipt } from '@postroom/contracts';

/** Far less than the 7 days that a reservation is kept. */
const keptMs = 10 * 60_000;
/** Of receipts; one with the 500 addresses that a message may have is some 20,000. */
const charactersMax = 8 * 1024 * 1024;

/** What a send is known by. */
export interface SendName {
  readonly tenantId: string;
  readonly mailbox: string;
  readonly idempotencyKey: string;
}

/** A send that has its receipt. */
export interface SentAs {
  readonly fingerprint: string;
  /** The request on the bus that it is the answer of. */
  readonly request: string;
  readonly receipt: SendReceipt;
}

/**
 * Receipts that this instance has seen committed, so that a repeat soon after costs no trip to the
 * database (`hit-mem`, public-api.md §3). A receipt is final: what is here is never outdated, and what is
 * not is asked of the reservation. Whether the caller may send was judged before, at the gateway.
 */
@Injectable()
export class ReceiptCache {
  private readonly sends = new LRUCache<string, SentAs>({
    ttl: keptMs,
    maxSize: charactersMax,
    sizeCalculation: ({ receipt }) => JSON.stringify(receipt).length,
  });

  find(send: SendName): SentAs | undefined {
    return this.sends.get(textOf(send));
  }

  keep(send: SendName, sent: SentAs): void {
    this.sends.set(textOf(send), sent);
  }
}

const textOf = ({ tenantId, mailbox, idempotencyKey }: SendName): string =>
  JSON.stringify([tenantId, mailbox, idempotencyKey]);
