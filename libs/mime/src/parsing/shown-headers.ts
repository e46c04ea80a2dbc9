import { Buffer } from 'node:buffer';
import { charsetOfHeads, headAsUtf8 } from './charsets.js';
import { decodeWords } from './encoded-words.js';
import { endOfHead } from './head-end.js';
import { storableLine } from './storable-text.js';

/** Header fields in their order, names as written, values in one line each. */
interface ShownHeaders {
  readonly headers: { readonly name: string; readonly value: string }[];
  /** True if fields, or ends of values, were left out. */
  readonly truncated: boolean;
}

interface Bounds {
  /** True if the bytes are the whole message, and not its start alone. */
  readonly isWhole: boolean;
  readonly fieldsMax: number;
  /** Code points of a value. */
  readonly charactersMax: number;
}

/** RFC 5322 §2.2: a name is printable ASCII. */
const field = /^([!-9;-~]{1,998})[ \t]*:/;

/**
 * The header fields of a message as a person reads them, whatever the bytes are. Lines that belong to no field are
 * left out. Linear.
 */
export function shownHeaders(
  start: Uint8Array,
  { isWhole, fieldsMax, charactersMax }: Bounds,
): ShownHeaders {
  const bytes = Buffer.from(start.buffer, start.byteOffset, start.byteLength);
  const { at, isClosed } = endOfHead(bytes, 0, bytes.length, true);
  const head = headAsUtf8(bytes.subarray(0, at), charsetOfHeads(start)).toString();
  const fields = fieldsOf(head);
  const isCut = !isWhole && !isClosed && bytes.indexOf('\n', at) < 0;
  let truncated = fields.length > fieldsMax || isCut;
  const headers = fields.slice(0, fieldsMax).map(({ name, value: written }) => {
    const decoded = decodeWords(written);
    const value = storableLine(decoded, charactersMax);
    // Two more, since one may be a blank at the end.
    truncated ||= storableLine(decoded, charactersMax + 2) !== value;
    return { name, value };
  });
  return { headers, truncated };
}

/** Fields with their lines joined (RFC 5322 §2.2.3). */
function fieldsOf(head: string): { readonly name: string; value: string }[] {
  const fields: { readonly name: string; value: string }[] = [];
  let open: { value: string } | null = null;
  for (const line of head.split(/\r?\n/)) {
    if (/^[ \t]/.test(line)) {
      if (open) open.value += line;
      continue;
    }
    const [start = '', name] = field.exec(line) ?? [];
    open = null;
    if (name === undefined) continue;
    const found = { name, value: line.slice(start.length) };
    fields.push(found);
    open = found;
  }
  return fields;
}
