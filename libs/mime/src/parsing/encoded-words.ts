import { Buffer } from 'node:buffer';
import { decodedText } from './charsets.js';
import { base64Bytes, unquoted } from './part-source.js';

interface EncodedWord {
  readonly start: number;
  readonly end: number;
  readonly charset: string;
  readonly bytes: Buffer;
}

const opening = /=\?([^?\s*]{1,60})(?:\*[^?\s]{0,40})?\?([QB])\?/gi;
/** The end of a word, unless what follows is an escape: then the question mark may be one that was not encoded. */
const closing = /\?=(?![0-9A-F]{2})/gi;
const folding = /^[ \t\r\n]+$/;

/**
 * A header's text with its encoded words (RFC 2047) decoded. Words of one charset that stand together are
 * decoded to bytes, joined and then read, since many senders cut characters in two. Linear.
 */
export function decodeWords(text: string): string {
  if (!text.includes('=?')) return text;
  const parts: string[] = [];
  let from = 0;
  let open: EncodedWord[] = [];
  const flush = (): void => {
    if (open.length > 0) parts.push(textOfWords(open));
    open = [];
  };
  for (const word of encodedWords(text)) {
    const between = text.slice(from, word.start);
    const isNext = open.length > 0 && standTogether(between);
    if (!isNext || open[0]?.charset !== word.charset) flush();
    if (!isNext) parts.push(between);
    open.push(word);
    from = word.end;
  }
  flush();
  return parts.join('') + text.slice(from);
}

function textOfWords(words: readonly EncodedWord[]): string {
  const { charset = '' } = words[0] ?? {};
  const joined = decodedText(Buffer.concat(words.map(({ bytes }) => bytes)), charset);
  if (!joined.includes('\ufffd')) return joined;
  // Charsets with escapes (ISO 2022) begin anew in each word.
  const apart = words.map(({ bytes }) => decodedText(bytes, charset)).join('');
  return apart.includes('\ufffd') ? joined : apart;
}

/** The text with each run of encoded words replaced, whatever their charsets. */
export function replaceEncodedWords(text: string, replacement: (run: string) => string): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of runsIn(text)) {
    parts.push(text.slice(from, start), replacement(text.slice(start, end)));
    from = end;
  }
  return parts.join('') + text.slice(from);
}

function* runsIn(text: string): Generator<Pick<EncodedWord, 'start' | 'end'>, undefined> {
  let run: Pick<EncodedWord, 'start' | 'end'> | null = null;
  for (const { start, end } of encodedWords(text)) {
    if (run !== null && standTogether(text.slice(run.end, start))) {
      run = { start: run.start, end };
      continue;
    }
    if (run !== null) yield run;
    run = { start, end };
  }
  if (run !== null) yield run;
}

/** True for the white space between two words, which belongs to neither (RFC 2047 §6.2). */
const standTogether = (between: string): boolean => between === '' || folding.test(between);

/** The places of the words of a text; what looks like a word within one is none. */
function* encodedWords(text: string): Generator<EncodedWord, undefined> {
  const openings = new RegExp(opening);
  const endOf = wordEnds(text);
  for (let found = openings.exec(text); found !== null; found = openings.exec(text)) {
    const from = openings.lastIndex;
    const end = endOf(from);
    if (end === null) return;
    const next = text.indexOf('=?', from);
    // A word that is not closed before the next begins.
    if (next >= 0 && next < end && /\s/.test(text.charAt(next - 1))) continue;
    const [, charset = '', encoding = ''] = found;
    const content = text.slice(from, end);
    const bytes = encoding.toUpperCase() === 'B' ? base64Bytes(content) : wordBytes(content);
    yield { start: found.index, end: end + 2, charset: charset.toLowerCase(), bytes };
    openings.lastIndex = end + 2;
  }
}

/** Finds the end of the word whose content begins at a position. Positions must grow, so that it stays linear. */
function wordEnds(text: string): (from: number) => number | null {
  const closings = new RegExp(closing);
  let plain = 0;
  let sure: number | null = 0;
  return (from) => {
    if (plain < from) plain = text.indexOf('?=', from);
    if (plain < 0) return null;
    if (sure !== null && sure < from) {
      closings.lastIndex = from;
      sure = closings.exec(text)?.index ?? null;
    }
    const isWithin = sure !== null && sure - plain < 200 && !/\s/.test(text.slice(plain, sure));
    return isWithin ? sure : plain;
  };
}

/** RFC 2047 §4.2. */
const wordBytes = (content: string): Buffer =>
  unquoted(Buffer.from(content.replaceAll('_', '=20').replace(/\s/g, '=20')));
