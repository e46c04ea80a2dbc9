import { createHash, type Hash } from 'node:crypto';

const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const chunkBytes = 64 * 1024;

/**
 * Header fields that the way of a message adds, so that two copies of it differ in them: trace
 * fields (RFC 5322 §3.6.7), what servers write at delivery, and signatures and verdicts that
 * their own RFCs count as trace (DKIM RFC 6376 §3.5, RFC 8601 §4.1, ARC RFC 8617 §4.1).
 */
const traceField =
  /^(?:received|return-path|delivered-to|x-delivered-to|x-original-to|envelope-to|x-received|received-spf|authentication-results|dkim-signature|arc-[a-z-]+)[ \t]*:/i;
const traceNameBytesMax = 48;

/**
 * SHA-256 (hex) of what a message says, whatever way it came: without trace fields, with line
 * endings as LF and none at the end. With the mailbox and the Message-ID it tells a duplicate.
 * One pass, no copy of the message; any bytes have a fingerprint.
 */
export function contentFingerprint(raw: Uint8Array): string {
  const sink = new LineFeedSink();
  const end = lengthWithoutFinalBreaks(raw);
  let position = 0;
  let isTrace = false;
  while (position < end) {
    const next = nextLine(raw, position, end);
    const first = raw[position];
    if (first === lineFeed || first === carriageReturn) break; // The body starts here.
    if (first !== 0x20 && first !== 0x09) isTrace = isTraceField(raw, position, next);
    if (!isTrace) sink.write(raw, position, next);
    position = next;
  }
  sink.write(raw, position, end);
  return sink.digest();
}

function lengthWithoutFinalBreaks(raw: Uint8Array): number {
  let end = raw.length;
  while (end > 0 && (raw[end - 1] === lineFeed || raw[end - 1] === carriageReturn)) end--;
  return end;
}

function nextLine(raw: Uint8Array, start: number, end: number): number {
  const feed = raw.indexOf(lineFeed, start);
  return feed < 0 || feed >= end ? end : feed + 1;
}

function isTraceField(raw: Uint8Array, start: number, end: number): boolean {
  const name = raw.subarray(start, Math.min(end, start + traceNameBytesMax));
  return traceField.test(String.fromCharCode(...name));
}

/** Hashes bytes without carriage returns, in chunks: a call a line would take minutes. */
class LineFeedSink {
  readonly #hash: Hash = createHash('sha256');
  readonly #chunk = new Uint8Array(chunkBytes);
  #length = 0;

  write(bytes: Uint8Array, start: number, end: number): void {
    for (let index = start; index < end; index++) {
      const byte = bytes[index] ?? 0;
      if (byte === carriageReturn) continue;
      if (this.#length === chunkBytes) this.#flush();
      this.#chunk[this.#length++] = byte;
    }
  }

  digest(): string {
    this.#flush();
    return this.#hash.digest('hex');
  }

  #flush(): void {
    this.#hash.update(this.#chunk.subarray(0, this.#length));
    this.#length = 0;
  }
}
