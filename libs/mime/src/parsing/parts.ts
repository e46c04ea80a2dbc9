import { randomUUID } from 'node:crypto';
import type { PartSource } from './part-source.js';

/** A stretch of a message that begins it or begins with a line that starts with `--`. */
export interface Stretch {
  readonly bytes: Buffer;
  /** Its position in the message. */
  readonly offset: number;
  /** The position of its first line that is no delimiter. */
  readonly headStart: number;
  /** The position of the empty line after its head, or of the first line of its body. */
  readonly bodyStart: number;
  /** False where the empty line is missing. */
  readonly isClosed: boolean;
  readonly headBytes: Buffer;
  readonly head: string;
}

/** Fields for the start of a part's head: of two of a name the MIME parser takes the first. */
export interface PartMarks {
  /** The Content-Description, which no sender can guess. */
  readonly description: string;
  /** The Content-Disposition of a text that is a file, whatever its sender called it. */
  readonly disposition: string | null;
}

/**
 * The places of a message's parts, found in one pass over its stretches. A part gets a description that no
 * sender can guess, which identifies the MIME parser's attachment; the parts of a forwarded message are not
 * parts of this one.
 */
export class Parts {
  readonly #mark = randomUUID();
  /** The kind of multipart, by the line that starts its parts. */
  readonly #boundaries = new Map<string, string>();
  readonly #sources: PartSource[] = [];
  /** The start and encoding of the part that has not ended yet. */
  #open: Omit<PartSource, 'end'> | null = null;
  #root: PartSource | null = null;
  #isInRoot = false;
  #hasParts = false;
  #leaves = 0;
  readonly #message: Buffer;

  constructor(message: Buffer) {
    this.#message = message;
  }

  /** The marks for the head of the part that starts here; null if none does. */
  startPart(stretch: Stretch): PartMarks | null {
    if (stretch.offset === 0) {
      this.#isInRoot = true;
      this.#enter(stretch);
      return null;
    }
    const delimiter = delimiterOf(stretch);
    const parent = this.#boundaries.get(delimiter);
    if (parent === undefined && !this.#endsMultipart(delimiter)) return null;
    this.#close(stretch.offset - (this.#message[stretch.offset - 2] === 0x0d ? 2 : 1));
    if (parent === undefined) return null;
    this.#hasParts = true;
    const isBody = this.#leaves === 0 || /^(?:alternative|related)$/.test(parent);
    this.#enter(stretch);
    return {
      description: `${this.#mark}-${String(this.#sources.length)}.`,
      disposition: isBody ? null : dispositionOfNamedText(unfolded(stretch.head)),
    };
  }

  /** Ends the last part at the end of the message. */
  finish(): void {
    this.#close(this.#message.length);
  }

  /** The source of the part that carries a description; of the message itself, if it is one part. */
  of(description: string): PartSource | null {
    const at = description.indexOf(this.#mark);
    if (at < 0) return this.#root;
    const index = Number.parseInt(description.slice(at + this.#mark.length + 1), 10);
    return this.#sources[index] ?? null;
  }

  /** The body of the message, up to the line that ends its multipart, if no part begins in it. */
  get bodyWithoutParts(): PartSource | null {
    return this.#hasParts ? null : (this.#root ?? this.#sources[0] ?? null);
  }

  #enter({ bytes, offset, bodyStart, isClosed, head }: Stretch): void {
    const multipart = multipartOf(unfolded(head));
    if (multipart !== null) {
      this.#boundaries.set(multipart.boundary, multipart.kind);
      // The text before its first part belongs to no part.
      this.#isInRoot = false;
    } else this.#leaves += 1;
    const blankLine =
      !isClosed || bodyStart === bytes.length ? 0 : bytes[bodyStart] === 0x0d ? 2 : 1;
    this.#open = { start: offset + bodyStart + blankLine, encoding: encodingOf(head) };
  }

  #close(end: number): void {
    if (this.#open === null) return;
    const source = { ...this.#open, end: Math.max(this.#open.start, end) };
    this.#open = null;
    if (this.#isInRoot) this.#root = source;
    else this.#sources.push(source);
  }

  #endsMultipart(delimiter: string): boolean {
    return delimiter.endsWith('--') && this.#boundaries.has(delimiter.slice(0, -2));
  }
}

/** The line that a stretch begins with, without its dashes. */
const delimiterOf = ({ bytes, headStart }: Stretch): string =>
  bytes.toString('latin1', 2, headStart === 0 ? bytes.length : headStart).trimEnd();

function multipartOf(head: string): { readonly kind: string; readonly boundary: string } | null {
  const found = /^content-type:[ \t]*multipart\/([\w-]*)(.*)$/im.exec(head);
  const parameter = /[;\s]boundary\s*=\s*(?:"([^"]*)"|([^\s;]+))/i.exec(found?.[2] ?? '');
  const boundary = (parameter?.[1] ?? parameter?.[2] ?? '').trimEnd();
  return boundary === '' ? null : { kind: (found?.[1] ?? '').toLowerCase(), boundary };
}

/**
 * Many mailers send a text file as `inline`, or without a word (RFC 2183 §2.10): a name tells it from
 * a piece of the body. Null for every other part.
 */
function dispositionOfNamedText(head: string): string | null {
  const type = /^content-type:[ \t]*(.*)$/im.exec(head)?.[1] ?? 'text/plain';
  // A malformed type is a text's (RFC 2045 §5.2).
  if (/^[\w.+-]+\/[\w.+-]+/.test(type) && !/^text\/(?:plain|html)\b/i.test(type)) return null;
  const disposition = /^content-disposition:[ \t]*(.*)$/im.exec(head)?.[1] ?? '';
  const hasName = /[;\s]name[\s*=]/i.test(type) || /[;\s]filename[\s*=]/i.test(disposition);
  return hasName ? disposition.replace(/^[^;]*/, 'attachment') : null;
}

function encodingOf(head: string): PartSource['encoding'] {
  const found = /^content-transfer-encoding:\s*"?(base64|quoted-printable)/im.exec(unfolded(head));
  const encoding = found?.[1]?.toLowerCase();
  return encoding === 'base64' || encoding === 'quoted-printable' ? encoding : null;
}

const unfolded = (head: string): string => head.replace(/\r?\n[ \t]+/g, ' ');
