import type { SendReceipt } from '@postroom/contracts';

/**
 * The states of a send (docs/adr/0027). Each step is committed before the next begins:
 *
 * - `reserved`: the key is taken, nothing has left. → transmitting, failed; or given back
 * - `transmitting`: committed before the message's first SMTP command. → sent, failed, unknown
 * - `sent`: it has a receipt. Final.
 * - `failed`: certainly not handed over. The key is free.
 * - `unknown`: it may have left. Never sent again; → sent or failed, by evidence alone
 */
export type SendState = 'reserved' | 'transmitting' | 'sent' | 'failed' | 'unknown';

/** Counts the ways in which payloads were made comparable: another way, another number. */
export const fingerprintVersion = 1;

/** Why a message certainly was not handed over. */
export type Refusal =
  /** Now: nothing could be reached, or the server said to come again. */
  | { readonly kind: 'unavailable'; readonly said: string }
  /** Until somebody mends its settings: whatever leaves from this mailbox. */
  | { readonly kind: 'mailbox'; readonly said: string }
  /** For good: every recipient. */
  | { readonly kind: 'recipients'; readonly said: string }
  /** For good: the message. */
  | { readonly kind: 'message'; readonly said: string };

/** A reservation as its row tells it. */
export interface Reservation {
  readonly mailboxId: string;
  readonly idempotencyKey: string;
  readonly state: SendState;
  /** Null: of something that no request can be compared with. */
  readonly fingerprint: string | null;
  readonly fingerprintVersion: number | null;
  readonly request: string;
  readonly token: string;
  /** Whether the process that works on it may still live. */
  readonly isLive: boolean;
  readonly messageId: string;
  /** Of a failed one. */
  readonly said: Refusal | null;
  readonly receipt: SendReceipt | null;
}

/** What a request is told whose key another has. */
export type Verdict =
  | { readonly kind: 'hit'; readonly receipt: SendReceipt }
  | { readonly kind: 'unverifiable' }
  | { readonly kind: 'reused' }
  | { readonly kind: 'duplicate' }
  /** Nobody knows: evidence is looked for before it is told. */
  | { readonly kind: 'open' }
  /** A redelivery of a request that was refused: what it is told does not change. */
  | { readonly kind: 'refused'; readonly refusal: Refusal };

const unsaid: Refusal = { kind: 'unavailable', said: '' };

/** Judges a request by the reservation that stands in its way. Nothing of it ever leads to a send. */
export function verdictOn(found: Reservation, fingerprint: string): Verdict {
  if (found.fingerprint === null || found.fingerprintVersion !== fingerprintVersion) {
    return { kind: 'unverifiable' };
  }
  if (found.fingerprint !== fingerprint) return { kind: 'reused' };
  return verdictOnSame(found);
}

/** The same payload again. */
function verdictOnSame(found: Reservation): Verdict {
  switch (found.state) {
    case 'sent':
      if (!found.receipt) throw new Error(`send ${found.messageId} without its receipt`);
      return { kind: 'hit', receipt: found.receipt };
    case 'failed':
      return { kind: 'refused', refusal: found.said ?? unsaid };
    case 'unknown':
      return { kind: 'open' };
    case 'transmitting':
      return { kind: found.isLive ? 'duplicate' : 'open' };
    case 'reserved':
      return { kind: 'duplicate' };
  }
}
