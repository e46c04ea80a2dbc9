import { Buffer, isAscii, isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import iconv from 'iconv-lite';
import { guessedCharset, withoutCutCharacter } from './guess-charset.js';

/** Charsets that mailers and cron declare without looking at the text. */
const sayingNothing =
  /^(?:us-ascii|ascii|ansi_x3\.4-19\d\d|x?-?unknown(?:-8bit)?|x-user-defined|8bit|default|none|)$/;

/** Labels that neither the Encoding Standard nor iconv-lite knows, by how they begin. */
const otherLabels: readonly (readonly [RegExp, string])[] = [
  [/^utf-?8/, 'utf-8'],
  [/^(?:ucs-?2|iso-10646-ucs-2|unicode|utf-?16)$/, 'utf-16'],
  [/^(?:iso-10646-)?ucs-?4/, 'utf-32'],
  [/^(?:iso-?2022-?kr|csiso2022kr)/, 'iso-2022-kr'],
  [/^(?:iso-?2022-?jp|csiso2022jp|cp5022\d|junet)/, 'iso-2022-jp'],
  [/^hz/, 'hz-gb-2312'],
  [/^(?:shift|ms_?kanji|x-sjis|windows-?31j|(?:cp|ms|windows-?)932)/, 'shift_jis'],
  [/^(?:x-)?euc-?jp|^cp51932/, 'euc-jp'],
  [/^(?:uhc|ks_?c|(?:cp|ms|windows-?)949)/, 'euc-kr'],
  [/^(?:gb|(?:cp|ms|windows-?)936)/, 'gb18030'],
  [/^(?:x-)?big-?5|^(?:cp|ms|windows-?)950/, 'big5'],
  [/^tis-?620/, 'windows-874'],
];

interface Decoder {
  readonly charset: string;
  readonly decode: (bytes: Uint8Array) => string;
}

const utf8: Decoder = { charset: 'utf-8', decode: (bytes) => new TextDecoder().decode(bytes) };
const known = new Map<string, Decoder | null>();
const knownMax = 500;

/**
 * The text of decoded bytes in a charset as its sender labelled it. A byte order mark decides first. Bytes
 * without a charset, with a label that says nothing or is none, and those that are not in the UTF-8 that they
 * claim, are read as what they look like.
 *
 * @param sniffed the label that the content itself gives, for bytes without another
 */
export function decodedText(bytes: Uint8Array, label = '', sniffed = ''): string {
  const marked = markedCharset(bytes) ?? '';
  const decoder = decoderOf(marked) ?? decoderOf(label) ?? decoderOf(sniffed);
  if (decoder !== null && (decoder.charset !== 'utf-8' || isMostlyUtf8(bytes))) {
    return decoder.decode(bytes);
  }
  return (decoderOf(guessedCharset(bytes)) ?? utf8).decode(bytes);
}

/** The charset of an HTML page (WHATWG HTML §13.2.3.2), from its first kibibyte; empty if it names none. */
export function charsetOfPage(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024));
  return (
    /<meta\b[^>]{0,200}?\bcharset\s*=\s*["']?([\w:.-]+)/i.exec(start.toString('latin1'))?.[1] ?? ''
  );
}

const charsetParameter = /\bcharset\s*=\s*["']*([\w:.+-]+)/gi;
const hintBytesMax = 64 * 1024;

/** The charset of raw 8-bit heads, if the message declares one for its texts; empty if it does not. */
export function charsetOfHeads(raw: Uint8Array): string {
  const start = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.length, hintBytesMax));
  const labels = start.toString('latin1').matchAll(charsetParameter);
  for (const [, label] of labels) {
    const charset = decoderOf(label ?? '')?.charset ?? 'utf-8';
    if (!/^(?:utf|iso-2022|hz)/.test(charset)) return charset;
  }
  return '';
}

/** Line by line, since a relay may have added UTF-8 lines to others that are not. */
export function headAsUtf8(head: Buffer, hint: string): Buffer {
  if (isUtf8(head)) return head;
  const lines = linesOf(head);
  const others = Buffer.concat(lines.filter((line) => !isUtf8(line)));
  const decoder = decoderOf(hint) ?? decoderOf(guessedCharset(others)) ?? utf8;
  return Buffer.concat(
    lines.map((line) => (isUtf8(line) ? line : Buffer.from(decoder.decode(line)))),
  );
}

function linesOf(head: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < head.length;) {
    const feed = head.indexOf(0x0a, start);
    const end = feed < 0 ? head.length : feed + 1;
    lines.push(head.subarray(start, end));
    start = end;
  }
  return lines;
}

/** Null for a label that says nothing, or that no charset has. */
function decoderOf(given: string): Decoder | null {
  const label = given
    .slice(0, 60)
    .toLowerCase()
    .replace(/[^\w:.+-]+/g, '');
  const before = known.get(label);
  if (before !== undefined) return before;
  const found = sayingNothing.test(label) ? null : namedDecoder(label);
  if (known.size >= knownMax) known.clear();
  known.set(label, found);
  return found;
}

function namedDecoder(label: string): Decoder | null {
  const other = otherLabels.find(([pattern]) => pattern.test(label))?.[1];
  if (other === 'iso-2022-kr')
    return { charset: other, decode: (bytes) => shifted(bytes, ...inKr) };
  if (other === 'hz-gb-2312') return { charset: other, decode: (bytes) => shifted(bytes, ...inHz) };
  const name = other ?? label;
  // TextDecoder takes UTF-16 without a mark for little endian; iconv-lite looks at the text.
  const inPlatform = name === 'utf-16' ? null : platformDecoder(name);
  const bare = name.replace(/^(?:x-|cs)/, '');
  return inPlatform ?? iconvDecoder(name) ?? platformDecoder(bare) ?? iconvDecoder(bare);
}

function platformDecoder(name: string): Decoder | null {
  try {
    const { encoding } = new TextDecoder(name);
    return { charset: encoding, decode: (bytes) => new TextDecoder(encoding).decode(bytes) };
  } catch {
    return null;
  }
}

const iconvDecoder = (name: string): Decoder | null =>
  iconv.encodingExists(name)
    ? { charset: name, decode: (bytes) => iconv.decode(Buffer.from(bytes), name) }
    : null;

/** Seven-bit forms of eight-bit charsets: RFC 1557 (between SO and SI) and RFC 1843 (between braces). */
// oxlint-disable-next-line no-control-regex -- controls are the shifts
const inKr = ['euc-kr', /\x1b\$\)C|\x0e([^\x0f\n]*)\x0f?/g] as const;
const inHz = ['gbk', /~\{((?:[^~\n]|~(?!\}))*)(?:~\})?|~~|~\n/g] as const;

function shifted(bytes: Uint8Array, charset: string, pattern: RegExp): string {
  const raised = Buffer.from(bytes)
    .toString('latin1')
    .replace(pattern, (found, inner?: string) =>
      inner === undefined ? (found === '~~' ? '~' : '') : inner.replace(/[!-~]/g, raisedCharacter),
    );
  return new TextDecoder(charset).decode(Buffer.from(raised, 'latin1'));
}

const raisedCharacter = (one: string): string => String.fromCharCode(one.charCodeAt(0) | 0x80);

/** Byte order marks; that of UTF-32 begins with that of UTF-16. */
const marks: readonly (readonly [string, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
];

const markedCharset = (bytes: Uint8Array): string | undefined =>
  marks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0];

/** True for UTF-8, and for one with a few bytes that are damaged. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  if (isAscii(bytes)) return !bytes.includes(0x1b);
  if (isUtf8(withoutCutCharacter(bytes))) return true;
  const text = utf8.decode(bytes);
  const damaged = text.match(/\ufffd/g)?.length ?? 0;
  return damaged * 4 < (text.match(/[^\0-\x7f\ufffd]/g)?.length ?? 0);
}
