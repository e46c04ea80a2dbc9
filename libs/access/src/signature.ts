import { createHmac, createSecretKey, hash, timingSafeEqual, type KeyObject } from 'node:crypto';

/**
 * The signature of a Caller on the bus: the gateway signs who asks, for one service, with the HMAC
 * key of that service; the service accepts nobody it cannot verify. It binds the Caller to the
 * operation, the very input, the message and its deadline, so that none of them can be put together
 * anew by whoever can write to the broker.
 */

/** The parts of a request that its signature covers. */
export interface SignedParts {
  /** The Caller as the JSON text that travels: signed and verified as text, never re-serialised. */
  readonly caller: string;
  /** The operation's id, such as `conversations.archive`. */
  readonly operation: string;
  /** {@link hashInput} of the input's bytes as they travel. */
  readonly inputHash: string;
  readonly messageId: string;
  /** Epoch milliseconds after which the service drops the message. */
  readonly deadlineMs: number;
  readonly idempotencyKey: string | null;
  /** A preview that became a write would pass by the person who has to approve it. */
  readonly preview: boolean;
  /** The sender's findings about the input's references, as sent; null for none. */
  readonly references: string | null;
}

/** The parts of a reply that its signature covers: all that its receiver reads. */
export interface SignedReplyParts {
  /** The message that it answers. */
  readonly messageId: string;
  readonly status: number;
  /** The HTTP headers as JSON text. */
  readonly headers: string;
  readonly problem: string | null;
  readonly body: Uint8Array;
  /** Reference and length of a body that does not travel; null of one that does. */
  readonly stored: string | null;
}

/** A service's key, made with {@link callerKey}. While it is changed there are two: the first signs, either verifies. */
export interface CallerKey {
  readonly signing: KeyObject;
  readonly accepted: readonly KeyObject[];
}

/**
 * Prepares keys once: an HMAC under a KeyObject costs a sixth of one under raw bytes.
 *
 * @throws Error when one is shorter than SHA-256's own output (RFC 2104 §3)
 */
export function callerKey(first: Uint8Array, ...others: readonly Uint8Array[]): CallerKey {
  const keys = [first, ...others];
  if (keys.some(({ length }) => length < 32))
    throw new Error('A key that signs callers has at least 32 bytes.');
  return { signing: createSecretKey(first), accepted: keys.map((key) => createSecretKey(key)) };
}

/** The key of a setting: base64, and while it is changed two, separated by a comma. @throws Error */
export function readCallerKey(setting: string): CallerKey {
  const [first = '', ...others] = setting.split(',');
  const bytes = (text: string): Buffer => Buffer.from(text, 'base64');
  return callerKey(bytes(first), ...others.map(bytes));
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

const encodeReply = (parts: SignedReplyParts): string => {
  const { messageId, status, headers, problem, body, stored } = parts;
  return (
    `reply/1 ${messageId.length}:${messageId}${status} ${headers.length}:${headers}` +
    `${optional(problem)}${optional(stored)}${hashInput(body)}`
  );
};

/** HMAC-SHA-256 in base64url (43 characters). */
const mac = (key: KeyObject, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url');

const isMac = ({ accepted }: CallerKey, text: string, presented: string): boolean => {
  const given = Buffer.from(presented);
  return accepted.some((key) => {
    const expected = Buffer.from(mac(key, text));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
};

/** Signs a Caller. */
export const signCaller = ({ signing }: CallerKey, parts: SignedParts): string =>
  mac(signing, encode(parts));

/**
 * Verifies the signature of a request's parts under this key, in constant time. The deadline is
 * covered but not judged here: the engine compares it with its clock.
 */
export const verifyCaller = (key: CallerKey, parts: SignedParts, signature: string): boolean =>
  isMac(key, encode(parts), signature);

/**
 * Signs a reply with the key that its request is signed with, which both ends have: whoever else writes
 * to the broker cannot answer in a service's place.
 */
export const signReply = ({ signing }: CallerKey, parts: SignedReplyParts): string =>
  mac(signing, encodeReply(parts));

/** Verifies the signature of a reply's parts under this key, in constant time. */
export const verifyReply = (key: CallerKey, parts: SignedReplyParts, signature: string): boolean =>
  isMac(key, encodeReply(parts), signature);
