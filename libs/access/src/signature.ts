import { createHmac, createSecretKey, hash, timingSafeEqual, type KeyObject } from 'node:crypto';

/**
 * The signature of a Caller on the bus: the gateway signs who asks, for one service, with the HMAC
 * key of that service; the service accepts nobody it cannot verify. It binds the Caller to the
 * operation, the very input, the message and its deadline, so that none of them can be put together
 * anew by whoever can write to the broker.
 */

/** What one signature covers. */
export interface SignedParts {
  /** The Caller as the JSON text that travels: signed and verified as text, never re-serialised. */
  readonly caller: string;
  /** The operation's id, such as `mail.conversations.archive`. */
  readonly operation: string;
  /** {@link hashInput} of the input's bytes as they travel. */
  readonly inputHash: string;
  readonly messageId: string;
  /** Epoch milliseconds after which the service drops the message. */
  readonly deadlineMs: number;
  readonly idempotencyKey: string | null;
  /** A preview that became a write would pass by the person who has to approve it. */
  readonly preview: boolean;
  /** What the sender found out about the input's references, as it travels; null for nothing. */
  readonly references: string | null;
}

/** A service's key of at least 32 bytes, made with {@link callerKey}. */
export type CallerKey = KeyObject;

/**
 * Prepares a key once: an HMAC under a KeyObject costs a sixth of one under raw bytes.
 *
 * @throws Error when it is shorter than SHA-256's own output (RFC 2104 §3)
 */
export function callerKey(bytes: Uint8Array): CallerKey {
  if (bytes.length < 32) throw new Error('A key that signs callers has at least 32 bytes.');
  return createSecretKey(bytes);
}

/** SHA-256 in base64url (43 characters) of an input as it travels. */
export const hashInput = (input: Uint8Array | string): string => hash('sha256', input, 'base64url');

const optional = (part: string | null): string => (part === null ? '-' : `${part.length}:${part}`);

/** Each part with its length in front: no two lists of parts give one text. */
const encode = (parts: SignedParts): string => {
  const { caller, operation, inputHash, messageId, deadlineMs, preview } = parts;
  const { idempotencyKey, references } = parts;
  return (
    `caller/3 ${caller.length}:${caller}${operation.length}:${operation}` +
    `${inputHash.length}:${inputHash}${messageId.length}:${messageId}${deadlineMs}` +
    `${preview ? 'p' : 'w'}${optional(references)}${optional(idempotencyKey)}`
  );
};

/** Signs a Caller: HMAC-SHA-256 in base64url (43 characters). */
export const signCaller = (key: CallerKey, parts: SignedParts): string =>
  createHmac('sha256', key).update(encode(parts)).digest('base64url');

/**
 * Whether the signature is that of these parts under this key, in constant time. The deadline is
 * covered but not judged here: the engine compares it with its clock.
 */
export function verifyCaller(key: CallerKey, parts: SignedParts, signature: string): boolean {
  const expected = Buffer.from(signCaller(key, parts));
  const presented = Buffer.from(signature);
  return presented.length === expected.length && timingSafeEqual(presented, expected);
}
