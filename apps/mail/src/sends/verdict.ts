import type { SendReceipt } from '@postroom/contracts';

/**
 * The states of a send (docs/adr/0027). Each step is committed before the next begins:
 *
 * - `reserved`: the key is taken, nothing has left. → transmitting, failed; or released
 * - `transmitting`: committed before the message's first SMTP command. → sent, failed, unknown
 * - `sent`: it has a receipt. Final.
 * - `failed`: certainly not handed over. The key is free.
 * - `unknown`: it may have left. Never sent again; → sent or failed, by evidence alone
 */
export type SendState = 'reserved' | 'transmitting' | 'sent' | 'failed' | 'unknown';

/**
 * The version of the way in which `fingerprintOf` makes payloads comparable, by who asks. A member's
 * sends are another path than those of API keys: a member's repeat is compared with the members'
 * reservations alone, and a key's with those of keys (public-api.md §3, decisions.md §4).
 */
export const fingerprintVersions = { key: 1, member: 2 } as const;

/** The reason why a message certainly was not handed over. */
export type Refusal =
  /** Temporary: no server could be reached, or it replied that the client should try again. */
  | { readonly kind: 'unavailable'; readonly reason: string }
  /** Every message of this mailbox is refused until its settings are corrected. */
  | { readonly kind: 'mailbox'; readonly reason: string }
  /** Permanent: every recipient is refused. */
  | { readonly kind: 'recipients'; readonly reason: string }
  /** Permanent: the message is refused. */
  | { readonly kind: 'message'; readonly reason: string };

/** A reservation as it is stored. */
export interface Reservation {
  readonly mailboxId: string;
  readonly idempotencyKey: string;
  readonly state: SendState;
  /** Null where no request can be compared with it. */
  readonly fingerprint: string | null;
  readonly fingerprintVersion: number | null;
  readonly request: string;
  readonly token: string;
  /** True while its lease has not run out: the process that works on it may be alive. */
  readonly isLive: boolean;
  readonly messageId: string;
  /** The refusal of a failed send. */
  readonly said: Refusal | null;
  readonly receipt: SendReceipt | null;
}

/** The fingerprint that a request is compared by. */
export interface Fingerprinted {
  /** Null for a draft, whose key no other request has. */
  readonly fingerprint: string | null;
  readonly fingerprintVersion: number | null;
}

/** The answer to a request whose key another request has. */
export type Verdict =
  | { readonly kind: 'hit'; readonly receipt: SendReceipt }
  | { readonly kind: 'unverifiable' }
  | { readonly kind: 'reused' }
  | { readonly kind: 'duplicate' }
  /** The outcome is unknown: evidence is looked for before it is answered. */
  | { readonly kind: 'open' }
  /** A redelivery of a request that was refused: its answer does not change. */
  | { readonly kind: 'refused'; readonly refusal: Refusal };

const withoutReason: Refusal = { kind: 'unavailable', reason: '' };

/** Decides how a request is answered whose key is reserved. No verdict ever leads to a send. */
export function verdictOn(
  found: Reservation,
  { fingerprint, fingerprintVersion }: Fingerprinted,
): Verdict {
  if (found.fingerprint === null && fingerprint === null) return verdictOnSame(found);
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
      return { kind: 'refused', refusal: found.said ?? withoutReason };
    case 'unknown':
      return { kind: 'open' };
    case 'transmitting':
      return { kind: found.isLive ? 'duplicate' : 'open' };
    case 'reserved':
      return { kind: 'duplicate' };
  }
}
