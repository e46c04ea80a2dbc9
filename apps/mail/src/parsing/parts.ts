import { randomUUID } from 'node:crypto';
import type { PartSource } from './part-source.js';

/** A stretch of a message that begins it or begins with a line that starts with `--`. */
export interface Stretch {
  readonly bytes: Buffer;
  /** Where it begins in the message. */
  readonly offset: number;
  /** Where its first line that is no delimiter begins. */
  readonly headStart: number;
  /** Where the empty line after its head begins. */
  readonly bodyStart: number;
  readonly head: string;
}

/**
 * Where the parts of a message are, found while its stretches go by. A part gets a description that
 * no sender can guess, by which the MIME parser's attachment is known again; what a forwarded
 * message holds is no part of this one.
 */
export class Parts {
  readonly #mark = randomUUID();
  readonly #boundaries = new Set<string>();
  readonly #sources: PartSource[] = [];
  /** Of the part that has not ended yet: where it begins, and how it is encoded. */
  #open: Omit<PartSource, 'end'> | null = null;
  #root: PartSource | null = null;
  #isInRoot = false;
  readonly #message: Buffer;

  constructor(message: Buffer) {
    this.#message = message;
  }

  /** The description for the head of the part that begins here; null when none does. */
  begin(stretch: Stretch): string | null {
    if (stretch.offset === 0) {
      this.#isInRoot = true;
      this.#enter(stretch);
      return null;
    }
    const kind = this.#delimiterOf(stretch);
    if (kind === null) return null;
    this.#close(stretch.offset - (this.#message[stretch.offset - 2] === 0x0d ? 2 : 1));
    if (kind === 'end') return null;
    this.#enter(stretch);
    return `${this.#mark}-${String(this.#sources.length)}.`;
  }

  /** At the end of the message. */
  end(): void {
    this.#close(this.#message.length);
  }

  /** The source of the part that carries a description; of the message itself, if it is one part. */
  of(description: string): PartSource | null {
    const at = description.indexOf(this.#mark);
    if (at < 0) return this.#root;
    const index = Number.parseInt(description.slice(at + this.#mark.length + 1), 10);
    return this.#sources[index] ?? null;
  }

  #enter({ bytes, offset, bodyStart, head }: Stretch): void {
    const boundary = boundaryOf(head);
    if (boundary !== null) {
      this.#boundaries.add(boundary);
      // What stands before its first part belongs to nobody.
      this.#isInRoot = false;
    }
    const blankLine = bodyStart === bytes.length ? 0 : bytes[bodyStart] === 0x0d ? 2 : 1;
    this.#open = { start: offset + bodyStart + blankLine, encoding: encodingOf(head) };
  }

  #close(end: number): void {
    if (this.#open === null) return;
    const source = { ...this.#open, end: Math.max(this.#open.start, end) };
    this.#open = null;
    if (this.#isInRoot) this.#root = source;
    else this.#sources.push(source);
  }

  #delimiterOf({ bytes, headStart }: Stretch): 'part' | 'end' | null {
    const line = bytes.toString('latin1', 2, headStart === 0 ? bytes.length : headStart).trimEnd();
    if (this.#boundaries.has(line)) return 'part';
    return line.endsWith('--') && this.#boundaries.has(line.slice(0, -2)) ? 'end' : null;
  }
}

function boundaryOf(head: string): string | null {
  const type = /^content-type:[ \t]*(multipart\/.*)$/im.exec(unfolded(head))?.[1] ?? '';
  const found = /[;\s]boundary\s*=\s*(?:"([^"]*)"|([^\s;]+))/i.exec(type);
  const boundary = (found?.[1] ?? found?.[2] ?? '').trimEnd();
  return boundary === '' ? null : boundary;
}

function encodingOf(head: string): PartSource['encoding'] {
  const found = /^content-transfer-encoding:\s*"?(base64|quoted-printable)/im.exec(unfolded(head));
  const encoding = found?.[1]?.toLowerCase();
  return encoding === 'base64' || encoding === 'quoted-printable' ? encoding : null;
}

const unfolded = (head: string): string => head.replace(/\r?\n[ \t]+/g, ' ');
