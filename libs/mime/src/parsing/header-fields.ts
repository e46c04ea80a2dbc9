import { Buffer } from 'node:buffer';
import { limits } from './limits.js';

/** Decoded header fields in their order, keys in lower case. */
export type HeaderFields = readonly { readonly key: string; readonly value: string }[];

/** The first field of a name: later copies are ignored, as the MIME parser does. */
export function headerValue(headers: HeaderFields, key: string): string {
  return headers.find((field) => field.key === key)?.value ?? '';
}

/** Fields of a head as far as its lines can be read, folded lines joined (RFC 5322 §2.2.3). */
export function headerFields(lines: readonly string[]): HeaderFields {
  const fields: { key: string; value: string }[] = [];
  for (const line of lines) {
    const last = fields.at(-1);
    if (last && /^[ \t]/.test(line)) {
      last.value += line;
      continue;
    }
    const colon = line.indexOf(':');
    if (colon < 0) continue;
    fields.push({ key: line.slice(0, colon).trim().toLowerCase(), value: line.slice(colon + 1) });
  }
  return fields.map(({ key, value }) => ({ key, value: value.trim() }));
}

const bracketed = /<([^<>]*)>/g;
const spacesAndControls = /[\s\p{Cc}]+/gu;
const notInIdentifiers = /[\s\p{Cc}<>]+/gu;

/** The first message identifier of a header (RFC 5322 §3.6.4), without angle brackets. */
export function firstMessageId(header: string): string | null {
  return identifiersIn(header)[0] ?? null;
}

/** Every identifier of a References header once: beyond the bound, the first and the newest. */
export function messageIds(header: string): string[] {
  const all = [...new Set(identifiersIn(header))];
  const [first] = all;
  if (first === undefined || all.length <= limits.referencesMax) return all;
  return [first, ...all.slice(1 - limits.referencesMax)];
}

/** A Content-ID without its brackets, which many senders forget. */
export function contentIdOf(header: string): string | null {
  return firstMessageId(header) ?? storableIdentifier(header);
}

function identifiersIn(header: string): string[] {
  const inBrackets = Array.from(header.matchAll(bracketed), (match) => match[1] ?? '');
  // Old mailers write the bare identifier; words without an @ are the prose of RFC 822 phrases.
  const candidates =
    inBrackets.length > 0
      ? inBrackets
      : header.split(spacesAndControls).filter((word) => word.includes('@'));
  return candidates.map(storableIdentifier).filter((id) => id !== null);
}

/** Null instead of a cut identifier: half of one would equal another message's. */
function storableIdentifier(value: string): string | null {
  const id = value.replace(notInIdentifiers, '').replace(/\p{Surrogate}/gu, '\ufffd');
  if (id === '' || id.length > limits.identifierBytesMax) return null;
  return Buffer.byteLength(id) > limits.identifierBytesMax ? null : id;
}
