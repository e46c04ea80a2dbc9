import { createHmac, timingSafeEqual } from 'node:crypto';

const secretPrefix = 'whsec_';
/** Older or newer than this, a delivery may be a replay. */
const toleranceMs = 5 * 60_000;

/** The bytes of a secret as Standard Webhooks keys its HMAC. */
const keyOf = (secret: string): Buffer =>
  Buffer.from(secret.slice(secret.startsWith(secretPrefix) ? secretPrefix.length : 0), 'base64');

const hmac = (key: string | Buffer, ...parts: readonly (string | Buffer)[]): Buffer =>
  parts.reduce((mac, part) => mac.update(part), createHmac('sha256', key)).digest();

/** A secret as it is shown: `whsec_` and the base64 of 32 random bytes. */
export const webhookSecret = (bytes: Buffer): string => secretPrefix + bytes.toString('base64');

/** The signed parts of a delivery. */
export interface SignedDelivery {
  /** Id of the event; the same on every attempt. */
  readonly id: string;
  /** Time of the attempt, seconds since 1970. */
  readonly timestamp: number;
  /** The raw bytes. */
  readonly body: Buffer;
}

/**
 * The headers that sign an attempt (`decisions.md` §8), by each of the secrets: the newest first, two
 * while a rotation lasts.
 */
export function signatureHeaders(
  { id, timestamp, body }: SignedDelivery,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const whole = secrets.map((secret) => `sha256=${hmac(secret, body).toString('hex')}`);
  const standard = secrets.map(
    (secret) => `v1,${hmac(keyOf(secret), `${id}.${timestamp}.`, body).toString('base64')}`,
  );
  return {
    'x-svc-signature': whole.join(', '),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standard.join(' '),
  };
}

/** Headers of a request, by their names in lower case. */
export type ReceivedHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * True if a request that a receiver got was signed with its secret, within the last five minutes (Standard
 * Webhooks 1.0). The body has to be the raw bytes, not JSON that was parsed and written again.
 */
export function verifyWebhook(
  headers: ReceivedHeaders,
  body: Buffer | string,
  secret: string,
  nowMs = Date.now(),
): boolean {
  const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map(
    (name) => headers[`webhook-${name}`],
  );
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signature !== 'string')
    return false;
  const isFresh = Math.abs(nowMs - Number(timestamp) * 1000) <= toleranceMs;
  const expected = Buffer.from(
    `v1,${hmac(keyOf(secret), `${id}.${timestamp}.`, body).toString('base64')}`,
  );
  return (
    isFresh &&
    signature.split(' ').some((one) => {
      const given = Buffer.from(one);
      return given.length === expected.length && timingSafeEqual(given, expected);
    })
  );
}
