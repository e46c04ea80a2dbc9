import { PostroomError } from './errors.js';
import type { PostroomEvent } from './generated.js';

/** Older or newer than this, a delivery may be a replay. */
const toleranceMs = 5 * 60_000;

type Headers = { readonly get: (name: string) => string | null };
/** A request's headers: the object of fetch, or names in lower case as Node has them. */
export type ReceivedHeaders =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>;

const encoder = new TextEncoder();

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/**
 * The event of a delivery, once its signature is proved: that of Standard Webhooks (`webhook-signature`, within five
 * minutes), which every delivery has. `X-Svc-Signature` is not checked: it has no time, so that a delivery that
 * was kept would pass for ever. `body` is the bytes as they came, never JSON that was parsed and written again.
 * Give both secrets while one replaces the other.
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
  const timestamp = read('webhook-timestamp');
  if (!(Math.abs(nowMs - Number(timestamp) * 1000) <= toleranceMs))
    throw refused('The delivery is more than five minutes old, or of the future.');
  const signed = joined(encoder.encode(`${read('webhook-id')}.${timestamp}.`), bytes);
  const signatures = read('webhook-signature').split(' ');
  for (const one of [secret].flat())
    if (await isSigned(one, signatures, signed))
      return JSON.parse(new TextDecoder().decode(bytes)) as PostroomEvent;
  throw refused('No signature of the delivery is of this secret.');
}

function joined(prefix: Uint8Array, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(prefix.length + body.length);
  all.set(prefix);
  all.set(body, prefix.length);
  return all;
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return bytesOf(base64);
  } catch {
    return null;
  }
}

async function isSigned(
  secret: string,
  signatures: readonly string[],
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const bytes = decoded(secret.replace(/^whsec_/, ''));
  if (!bytes?.length) return false;
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
  for (const signature of signatures) {
    const mac = signature.startsWith('v1,') ? decoded(signature.slice(3)) : null;
    if (mac && (await crypto.subtle.verify('HMAC', key, mac, signed))) return true;
  }
  return false;
}

/** Reads a header; one that is absent is empty. */
function readerOf(headers: ReceivedHeaders): (name: string) => string {
  if (typeof headers.get === 'function') return (name) => (headers as Headers).get(name) ?? '';
  return (name) => {
    const value = (headers as Readonly<Record<string, unknown>>)[name];
    return typeof value === 'string' ? value : '';
  };
}

const refused = (message: string): PostroomError =>
  new PostroomError(message, { status: 0, code: 'SIGNATURE' });
