import { JsonPlaces, type Path } from './json-places.js';
import { UnplainBytes } from './unplain-bytes.js';

/** What takes the texts at the places, one after the other. */
export interface TextSink {
  /** @returns a number for it */
  begin(): number;
  /** More of it. @returns where something stands that is no base64, or the end */
  add(source: Buffer, from: number, to: number): number;
  end(): void;
  /** Instead of the end. */
  abandon(): void;
}

/** Of a rest, to begin with. */
const restBytes = 4096;

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

/** Blanks between values say no more than one does; few are not worth the look. */
const withFewBlanks = (structure: Buffer): Buffer =>
  structure.length < 1024
    ? structure
    : Buffer.from(structure.toString('latin1').replaceAll(/[ \t\r\n]+/g, ' '), 'latin1');

/** What stands in the rest for a text: nothing that is base64. */
export const markOf = (number: number): string => `!${number}!`;

/**
 * Cuts texts out of a JSON text as its bytes come: those at the given places go to `texts`, and the rest
 * has a mark where they were. Whether the whole is JSON is not judged here. The rest is, exactly when
 * the whole is, to whoever parses it: what is cut out is always the inside of a text, and of one that
 * turns out to be no base64 everything stays that could keep a text from being one.
 */
export class JsonScanner {
  private readonly places: JsonPlaces;
  /** Grows as it must; that is little of what comes. */
  private rest = Buffer.allocUnsafeSlow(restBytes);
  private restLength = 0;
  /** Between texts; in one that stays; in one that goes; in one that is no base64. */
  private state: 'structure' | 'text' | 'apart' | 'broken' = 'structure';
  /** An escape sequence that is not over, its backslash first. */
  private escape: number[] = [];
  private readonly one = Buffer.alloc(1);
  private unplain = new UnplainBytes();

  constructor(
    paths: readonly Path[],
    private readonly texts: TextSink,
  ) {
    this.places = new JsonPlaces(paths);
  }

  /** Bytes of the rest so far. */
  get length(): number {
    return this.restLength;
  }

  /** Values of the whole so far, names not counted. */
  get values(): number {
    return this.places.values;
  }

  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) at = this.read(chunk, at);
  }

  /** @returns the JSON text without what was cut out */
  end(): Buffer {
    return this.rest.subarray(0, this.restLength);
  }

  /** @returns where to read on */
  private read(chunk: Buffer, at: number): number {
    if (this.state === 'structure') return this.readStructure(chunk, at);
    if (this.state === 'text') return this.readText(chunk, at);
    if (this.state === 'broken') return this.readBroken(chunk, at);
    return this.escape.length > 0 ? this.readEscape(chunk, at) : this.readApart(chunk, at);
  }

  private readStructure(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (byte === quote) {
        this.keep(withFewBlanks(chunk.subarray(from, at + 1)));
        this.beginText();
        return at + 1;
      }
      this.places.structure(byte);
    }
    this.keep(withFewBlanks(chunk.subarray(from)));
    return chunk.length;
  }

  private beginText(): void {
    this.state = this.places.isPlace ? 'apart' : 'text';
    if (this.state === 'apart') this.keep(Buffer.from(markOf(this.texts.begin())));
  }

  private readText(chunk: Buffer, from: number): number {
    const { isName } = this.places;
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (this.escape.length > 0) this.escape = [];
      else if (byte === backslash) this.escape = [byte];
      else if (byte === quote) {
        if (isName) this.places.endOfName();
        return this.endText(chunk, from, at);
      }
      if (isName) this.places.addToName(byte);
    }
    this.keep(chunk.subarray(from));
    return chunk.length;
  }

  private readApart(chunk: Buffer, from: number): number {
    const at = this.texts.add(chunk, from, chunk.length);
    if (at === chunk.length) return at;
    if (chunk[at] === backslash) {
      this.escape = [backslash];
      return at + 1;
    }
    if (chunk[at] === quote) {
      this.texts.end();
      return this.endText(chunk, at, at);
    }
    this.breakOff();
    return at;
  }

  /** A slash, a plus or an equals sign: many programs escape them. */
  private readEscape(chunk: Buffer, at: number): number {
    const byte = chunk[at] ?? 0;
    const isLong = this.escape.length > 1;
    if (isLong && hexDigits[byte] === none) {
      this.breakOff();
      return at;
    }
    this.escape.push(byte);
    if (isLong || byte === letterU) this.endLongEscape();
    else if (byte === slash) this.takeEscaped(byte);
    else this.breakOff();
    return at + 1;
  }

  private endLongEscape(): void {
    if (this.escape.length < longEscape) return;
    const digits = this.escape.slice(2);
    this.takeEscaped(digits.reduce((code, digit) => 16 * code + (hexDigits[digit] ?? 0), 0));
  }

  private takeEscaped(code: number): void {
    this.one[0] = code;
    if (code <= asciiMax && this.texts.add(this.one, 0, 1) === 1) this.escape = [];
    else this.breakOff();
  }

  private readBroken(chunk: Buffer, from: number): number {
    const end = this.unplain.endOfText(chunk, from);
    this.keep(this.unplain.of(chunk.subarray(from, end)));
    return end === chunk.length ? end : this.endText(chunk, end, end);
  }

  private endText(chunk: Buffer, from: number, at: number): number {
    this.keep(chunk.subarray(from, at + 1));
    this.state = 'structure';
    return at + 1;
  }

  private breakOff(): void {
    this.texts.abandon();
    this.state = 'broken';
    this.unplain = new UnplainBytes();
    this.keep(this.unplain.of(Buffer.from(this.escape)));
    this.escape = [];
  }

  private keep(bytes: Buffer): void {
    const length = this.restLength + bytes.length;
    if (length > this.rest.length) {
      const larger = Buffer.allocUnsafeSlow(2 * length);
      this.rest.copy(larger, 0, 0, this.restLength);
      this.rest = larger;
    }
    bytes.copy(this.rest, this.restLength);
    this.restLength = length;
  }
}
