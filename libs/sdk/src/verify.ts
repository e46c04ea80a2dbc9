import { PostroomError } from './errors.js';
import type { PostroomEvent } from './generated.js';

/** Older or newer than this, a delivery may be one that somebody kept and sends again. */
const toleranceMs = 5 * 60_000;

type Headers = { readonly get: (name: string) => string | null };
/** A request's headers: the object of fetch, or names in lower case as Node has them. */
export type ReceivedHeaders =
  Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const encoder = new TextEncoder();

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/**
 * The event of a delivery, once its signature is proved: that of Standard Webhooks (`webhook-signature`, within five
 * minutes), or, where the request has none, `X-Svc-Signature`. `body` is the bytes as they came, never JSON that was
 * parsed and written again. Give both secrets while one replaces the other.
 *
 * @throws PostroomError with the code `SIGNATURE`
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: ReceivedHeaders,
  secret: string | readonly string[],
  nowMs: number = Date.now(),
): Promise<PostroomEvent> {
  const bytes = typeof body === 'string' ? encoder.encode(body) : Uint8Array.from(body);
  const read = readerOf(headers);
  const given = read('webhook-signature');
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const proofs = given === null ? plain(read('x-svc-signature')) : standard(given, read, nowMs);
  for (const { key, signature, prefix } of proofs)
    for (const one of secrets)
      if (await isSigned(key(one), signature, joined(encoder.encode(prefix), bytes)))
        return JSON.parse(new TextDecoder().decode(bytes)) as PostroomEvent;
  throw refused('No signature of the delivery is of this secret.');
}

function joined(prefix: Uint8Array, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(prefix.length + body.length);
  all.set(prefix);
  all.set(body, prefix.length);
  return all;
}

interface Proof {
  readonly key: (secret: string) => Uint8Array<ArrayBuffer>;
  readonly signature: Uint8Array<ArrayBuffer> | null;
  /** Signed before the body. */
  readonly prefix: string;
}

function standard(
  given: string,
  read: (name: string) => string | null,
  nowMs: number,
): readonly Proof[] {
  const timestamp = read('webhook-timestamp') ?? '';
  if (!(Math.abs(nowMs - Number(timestamp) * 1000) <= toleranceMs))
    throw refused('The delivery is more than five minutes old, or of the future.');
  return given
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => ({
      key: (secret) => decoded(secret.replace(/^whsec_/, '')) ?? new Uint8Array(),
      signature: decoded(one.slice(3)),
      prefix: `${read('webhook-id') ?? ''}.${timestamp}.`,
    }));
}

const plain = (given: string | null): readonly Proof[] =>
  (given ?? '').split(', ').map((one) => ({
    key: (secret) => encoder.encode(secret),
    signature: hexadecimal(one.replace(/^sha256=/, '')),
    prefix: '',
  }));

const hexadecimal = (text: string): Uint8Array<ArrayBuffer> | null =>
  /^(?:[0-9a-f]{2})+$/.test(text)
    ? Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
    : null;

function decoded(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return bytesOf(base64);
  } catch {
    return null;
  }
}

async function isSigned(
  secret: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer> | null,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  if (!signature || secret.length === 0) return false;
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['verify']);
  return crypto.subtle.verify('HMAC', key, signature, signed);
}

function readerOf(headers: ReceivedHeaders): (name: string) => string | null {
  if (typeof headers.get === 'function') return (name) => (headers as Headers).get(name);
  return (name) => {
    const value = (headers as Readonly<Record<string, unknown>>)[name];
    return typeof value === 'string' ? value : null;
  };
}

const refused = (message: string): PostroomError =>
  new PostroomError(message, { status: 0, code: 'SIGNATURE' });
