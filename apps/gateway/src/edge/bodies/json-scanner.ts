import { JsonPathMatcher, type Path } from './json-path-matcher.js';
import { StringCondenser } from './string-condenser.js';

/** Takes the extracted strings, one after the other. */
export interface StringSink {
  /** @returns the number of the string */
  begin(): number;
  /** Takes more of it. @returns the index of the first byte that is no base64, or `to` */
  add(source: Buffer, from: number, to: number): number;
  end(): void;
  /** Called in place of {@link end} for a string that is no base64. */
  abandon(): void;
}

/** The first size of the buffer for the remainder. */
const remainderBytes = 4096;

const quote = 0x22;
const backslash = 0x5c;
const slash = 0x2f;
const letterU = 0x75;
/** `\u` and four digits. */
const longEscape = 6;
const asciiMax = 0x7f;
const none = 0xff;
const hexDigits = new Uint8Array(256).fill(none);
for (const digit of '0123456789abcdefABCDEF') hexDigits[digit.charCodeAt(0)] = parseInt(digit, 16);

/** Collapses runs of blanks between values, which could otherwise fill the memory. */
const collapseBlanks = (structure: Buffer): Buffer =>
  structure.length < 1024
    ? structure
    : Buffer.from(structure.toString('latin1').replaceAll(/[ \t\r\n]+/g, ' '), 'latin1');

/** The placeholder of an extracted string in the remainder; it is no valid base64. */
export const placeholderOf = (number: number): string => `!${number}!`;

/**
 * Extracts base64 strings from a JSON text as its bytes arrive: those at the given paths go to `sink`,
 * and a placeholder takes their place in the remainder. The remainder is valid JSON exactly if the whole
 * is, which is left to the parser: only the inside of strings is extracted, and of a string that turns
 * out to be no base64 everything is kept that could make it invalid.
 */
export class JsonScanner {
  private readonly matcher: JsonPathMatcher;
  private remainder = Buffer.allocUnsafeSlow(remainderBytes);
  private remainderLength = 0;
  /** Outside of strings, or in one that stays, is extracted, or was to be and is no base64. */
  private state: 'structure' | 'kept' | 'extracted' | 'rejected' = 'structure';
  /** An incomplete escape sequence with its backslash. */
  private escape: number[] = [];
  private readonly one = Buffer.alloc(1);
  private condenser = new StringCondenser();

  constructor(
    paths: readonly Path[],
    private readonly sink: StringSink,
  ) {
    this.matcher = new JsonPathMatcher(paths);
  }

  /** Bytes of the remainder so far. */
  get length(): number {
    return this.remainderLength;
  }

  /** Values of the whole text so far; names are not counted. */
  get values(): number {
    return this.matcher.values;
  }

  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) at = this.read(chunk, at);
  }

  /** @returns the remainder */
  end(): Buffer {
    return this.remainder.subarray(0, this.remainderLength);
  }

  /** @returns the index to read on from */
  private read(chunk: Buffer, at: number): number {
    if (this.state === 'structure') return this.readStructure(chunk, at);
    if (this.state === 'kept') return this.readKept(chunk, at);
    if (this.state === 'rejected') return this.readRejected(chunk, at);
    return this.escape.length > 0 ? this.readEscape(chunk, at) : this.readExtracted(chunk, at);
  }

  private readStructure(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (byte === quote) {
        this.keep(collapseBlanks(chunk.subarray(from, at + 1)));
        this.beginString();
        return at + 1;
      }
      this.matcher.structure(byte);
    }
    this.keep(collapseBlanks(chunk.subarray(from)));
    return chunk.length;
  }

  private beginString(): void {
    this.state = this.matcher.isMatch ? 'extracted' : 'kept';
    if (this.state === 'extracted') this.keep(Buffer.from(placeholderOf(this.sink.begin())));
  }

  private readKept(chunk: Buffer, from: number): number {
    const { isName } = this.matcher;
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (this.escape.length > 0) this.escape = [];
      else if (byte === backslash) this.escape = [byte];
      else if (byte === quote) {
        if (isName) this.matcher.endOfName();
        return this.endString(chunk, from, at);
      }
      if (isName) this.matcher.addToName(byte);
    }
    this.keep(chunk.subarray(from));
    return chunk.length;
  }

  private readExtracted(chunk: Buffer, from: number): number {
    const at = this.sink.add(chunk, from, chunk.length);
    if (at === chunk.length) return at;
    if (chunk[at] === backslash) {
      this.escape = [backslash];
      return at + 1;
    }
    if (chunk[at] === quote) {
      this.sink.end();
      return this.endString(chunk, at, at);
    }
    this.reject();
    return at;
  }

  /** Many programs escape the characters `/`, `+` and `=` of base64. */
  private readEscape(chunk: Buffer, at: number): number {
    const byte = chunk[at] ?? 0;
    const isLong = this.escape.length > 1;
    if (isLong && hexDigits[byte] === none) {
      this.reject();
      return at;
    }
    this.escape.push(byte);
    if (isLong || byte === letterU) this.endLongEscape();
    else if (byte === slash) this.takeEscaped(byte);
    else this.reject();
    return at + 1;
  }

  private endLongEscape(): void {
    if (this.escape.length < longEscape) return;
    const digits = this.escape.slice(2);
    this.takeEscaped(digits.reduce((code, digit) => 16 * code + (hexDigits[digit] ?? 0), 0));
  }

  private takeEscaped(code: number): void {
    this.one[0] = code;
    if (code <= asciiMax && this.sink.add(this.one, 0, 1) === 1) this.escape = [];
    else this.reject();
  }

  private readRejected(chunk: Buffer, from: number): number {
    const end = this.condenser.endOfString(chunk, from);
    this.keep(this.condenser.condense(chunk.subarray(from, end)));
    return end === chunk.length ? end : this.endString(chunk, end, end);
  }

  private endString(chunk: Buffer, from: number, at: number): number {
    this.keep(chunk.subarray(from, at + 1));
    this.state = 'structure';
    return at + 1;
  }

  private reject(): void {
    this.sink.abandon();
    this.state = 'rejected';
    this.condenser = new StringCondenser();
    this.keep(this.condenser.condense(Buffer.from(this.escape)));
    this.escape = [];
  }

  private keep(bytes: Buffer): void {
    const length = this.remainderLength + bytes.length;
    if (length > this.remainder.length) {
      const larger = Buffer.allocUnsafeSlow(2 * length);
      this.remainder.copy(larger, 0, 0, this.remainderLength);
      this.remainder = larger;
    }
    bytes.copy(this.remainder, this.remainderLength);
    this.remainderLength = length;
  }
}
