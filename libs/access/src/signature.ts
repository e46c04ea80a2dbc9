import { createHmac, hash, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { CallerKey } from './caller-key.js';

/**
 * The signature of a Caller on the bus: the gateway signs who asks, for one service, with the HMAC
 * key of that service; the service accepts no caller that it cannot verify. It binds the Caller to the
 * operation, the very input, the message and its deadline, so that none of them can be put together
 * anew by a program that can write to the broker.
 */

/** The parts of a request that its signature covers: everything that decides what is done, and for whom. */
export interface SignedRequest {
  /** The message's id. */
  readonly id: string;
  /** The operation's id, such as `conversations.archive`. */
  readonly operation: string;
  /** The Caller as the JSON text that travels: signed and verified as text, never re-serialised. */
  readonly caller: string;
  readonly input: Uint8Array;
  /** Epoch milliseconds after which the service drops the message. */
  readonly deadlineMs: number;
  readonly idempotencyKey: string | null;
  /** A preview that became a write would pass by the person who has to approve it. */
  readonly preview: boolean;
  /** The sender's findings about the input's references, as sent; null for none. */
  readonly references: string | null;
  /** The address of its reply, as the bus names it; null in one process. Unsigned, it could be changed to another reader's. */
  readonly replyTo: string | null;
}

/** The parts of a reply that its signature covers: all that its receiver reads. */
export interface SignedReply {
  /** The id of the message that it answers. */
  readonly id: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly problem: string | null;
  readonly body: Uint8Array;
  /** Reference and length of a body that does not travel. */
  readonly bodyRef?: string;
  readonly bodyBytes?: number;
}

const sha256 = (bytes: Uint8Array): string => hash('sha256', bytes, 'base64url');

/** Each part with its length in front: no two lists of parts give one text. */
const sized = (part: string | null): string => (part === null ? '-' : `${part.length}:${part}`);

const signedTextOf = (request: SignedRequest): string => {
  const { caller, operation, id, deadlineMs, preview, references, idempotencyKey, replyTo } =
    request;
  return (
    `caller/4 ${sized(caller)}${sized(operation)}${sized(sha256(request.input))}${sized(id)}` +
    `${deadlineMs}${preview ? 'p' : 'w'}${sized(references)}${sized(idempotencyKey)}` +
    sized(replyTo)
  );
};

const signedTextOfReply = ({
  id,
  status,
  headers,
  problem,
  body,
  ...stored
}: SignedReply): string => {
  const { bodyRef, bodyBytes = '' } = stored;
  const reference = bodyRef === undefined ? null : `${bodyRef} ${bodyBytes}`;
  return (
    `reply/1 ${sized(id)}${status} ${sized(JSON.stringify(headers))}` +
    `${sized(problem)}${sized(reference)}${sha256(body)}`
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

/** Signs a Caller for one request. */
export const signCaller = ({ signing }: CallerKey, request: SignedRequest): string =>
  mac(signing, signedTextOf(request));

/**
 * Verifies the signature of a request under this key, in constant time. The deadline is
 * covered but not judged here: the engine compares it with its clock.
 */
export const verifyCaller = (key: CallerKey, request: SignedRequest, signature: string): boolean =>
  isMac(key, signedTextOf(request), signature);

/**
 * Signs a reply with the key that its request is signed with, which both ends have: another program that
 * writes to the broker cannot answer in a service's place.
 */
export const signReply = ({ signing }: CallerKey, reply: SignedReply): string =>
  mac(signing, signedTextOfReply(reply));

/** Verifies the signature of a reply under this key, in constant time. */
export const verifyReply = (key: CallerKey, reply: SignedReply, signature: string): boolean =>
  isMac(key, signedTextOfReply(reply), signature);
