/** A message of an mbox file. */
export interface SplitMessage {
  /** Null for one that is too large. */
  readonly bytes: Buffer | null;
  /** The `From ` line above it, without its end. */
  readonly separator: string;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const letterC = 0x43;
const letterF = 0x46;
const quote = 0x3e;
/** The first size of the buffer for a message; a file may have a million that are shorter. */
const pieceBytes = 512;
/** A longer line is text, whatever it begins with. */
const separatorBytesMax = 1024;
const separatorStart = /^From /;
const quotedSeparator = /^>+From /;
/** The date that mailers write (RFC 4155): day, month, day of the month, time, and a year. */
const strictDate =
  /\b(?:mon|tue|wed|thu|fri|sat|sun)\w*,?\s+\w{1,9}\s+\w{1,9}\s+(?:\d{4}\s+)?\d{1,2}:\d{2}(?::\d{2})?(?:\s+\S{1,10}){0,3}\s*$/i;
const someDate = /\d{1,2}:\d{2}.*\b(?:19|20)\d{2}\b|\b(?:19|20)\d{2}\b.*\d{1,2}:\d{2}/;

/** A line from `at` to `end` in the data; bytes from `start` on are not kept yet. */
interface Line {
  readonly start: number;
  readonly at: number;
  readonly end: number;
}

/** The start of a header field (RFC 5322 §2.2, with blanks before the colon as in §4.5.8). */
const headerField = /^[\x21-\x39\x3b-\x7e]+[ \t]*:/;
const headerNameMax = 100;
const contentLength = /^content-length[ \t]*:[ \t]*(\d{1,9})\s*$/i;
/** The empty line that may stand between a body and the next separator. */
const gapBytesMax = 2;
const doubtsMax = 10_000;

/** A line within the length that a message claims, which would separate messages otherwise. */
interface Doubt {
  /** Its place in the message. */
  readonly at: number;
  readonly end: number;
  readonly separator: string;
}

/** The first line of an mbox file is no separator. */
export class NoMbox extends Error {
  override readonly name = 'NoMbox';
}

/**
 * Splits an mbox file (RFC 4155, in the dialects mboxo, mboxrd, mboxcl and mboxcl2) as its bytes arrive, in memory
 * bounded by the largest message. A `From ` line is a separator if an empty line precedes it and a
 * header field follows or it contains a date, or if its date has exactly the form that mailers write.
 * Any other is text, so that a malformed separator loses nothing. Within the length that a `Content-Length` gives
 * (mboxcl2) each is text, if the message proves to end there: many messages have a length that is wrong. One `>` is removed from quoted
 * `From ` lines; all other bytes of a message are kept, line endings included.
 */
export class MboxSplitter {
  private readonly found: SplitMessage[] = [];
  /** The start of an incomplete line that may turn out to be no text. */
  private carry = Buffer.alloc(0);
  /** True if the next bytes are the rest of a line of text. */
  private isWithinLine = false;
  private isAfterBlank = true;
  private hasBegun = false;
  /** The message so far, in one growing buffer: a list of pieces could be as long as it has lines. */
  private message = Buffer.alloc(0);
  private bytes = 0;
  private separator = '';
  /** Quote marks that were removed, which a length counts. */
  private removed = 0;
  private isInHead = true;
  private claimed: number | null = null;
  /** The end of the message as its length claims, counted as in the file; null without one. */
  private claimedEnd: number | null = null;
  private doubts: Doubt[] = [];

  constructor(private readonly messageBytesMax: number) {}

  /**
   * Takes the next bytes.
   * @returns the messages that have ended
   * @throws NoMbox when the first line is no separator
   */
  push(chunk: Buffer): SplitMessage[] {
    const data = this.carry.length === 0 ? chunk : Buffer.concat([this.carry, chunk]);
    this.carry = Buffer.alloc(0);
    let start = 0;
    let at = 0;
    while (at < data.length) {
      const feed = data.indexOf(lineFeed, at);
      const end = feed < 0 ? data.length : feed + 1;
      if (!this.isWithinLine && this.isUndecided(data, { start, at, end })) {
        this.keep(data.subarray(start, at));
        this.carry = Buffer.from(data.subarray(at));
        return this.taken();
      }
      if (!this.isWithinLine) start = this.line(data, { start, at, end });
      this.isWithinLine = feed < 0;
      at = end;
    }
    this.keep(data.subarray(start));
    return this.taken();
  }

  /**
   * Ends the file. It must not be called for a body that was cut off, whose last message is incomplete.
   * @returns the last message, if there is one
   * @throws NoMbox
   */
  end(): SplitMessage[] {
    const rest = this.carry;
    this.carry = Buffer.alloc(0);
    const feed = rest.indexOf(lineFeed);
    const line = { start: 0, at: 0, end: feed < 0 ? rest.length : feed + 1 };
    if (rest.length > 0) this.keep(rest.subarray(this.line(rest, line)));
    this.finish();
    return this.taken();
  }

  /** True if more bytes are needed to know what the line is. */
  private isUndecided(data: Buffer, { at, end }: Line): boolean {
    if (data[end - 1] !== lineFeed) return mayBecomeOther(data, at, this.isInHead);
    return this.isAfterBlank && data[at] === letterF && headAfter(data, end) === null;
  }

  /** Takes a line. @returns the index from which bytes are not kept yet */
  private line(data: Buffer, { start, at, end }: Line): number {
    const kind = this.kindOf(
      data.subarray(at, end),
      headAfter(data, end) ?? data.toString('latin1', end),
    );
    this.isAfterBlank = kind === 'blank';
    const place = this.bytes + at - start;
    if (kind === 'separator') {
      const separator = data.toString('latin1', at, end).trimEnd();
      if (this.isWithinClaim(place)) {
        this.doubts.push({ at: place, end: place + end - at, separator });
        if (this.doubts.length === doubtsMax) this.claimedEnd = null;
        return start;
      }
      this.keep(data.subarray(start, at));
      this.finish();
      this.hasBegun = true;
      this.separator = separator;
      return end;
    }
    if (!this.hasBegun) {
      if (kind === 'blank') return end;
      throw new NoMbox();
    }
    if (this.isInHead) this.readLength(data.subarray(at, end), kind === 'blank', place);
    if (kind !== 'quoted') return start;
    this.keep(data.subarray(start, at));
    this.removed += 1;
    return at + 1;
  }

  private isWithinClaim(place: number): boolean {
    return this.claimedEnd !== null && place + this.removed < this.claimedEnd;
  }

  /** Reads a line of the head for the length that it may give. */
  private readLength(line: Buffer, isEnd: boolean, place: number): void {
    const length = contentLength.exec(line.toString('latin1', 0, headerNameMax))?.[1];
    if (length !== undefined) this.claimed = Number(length);
    if (!isEnd) return;
    this.isInHead = false;
    const isPossible = this.claimed !== null && this.claimed <= this.messageBytesMax;
    if (isPossible) this.claimedEnd = place + this.removed + line.length + (this.claimed ?? 0);
  }

  private kindOf(line: Buffer, next: string): 'blank' | 'separator' | 'quoted' | 'text' {
    const [first, second] = line;
    if (first === lineFeed || (first === carriageReturn && second === lineFeed)) return 'blank';
    if ((first !== letterF && first !== quote) || line.length >= separatorBytesMax) return 'text';
    const text = line.toString('latin1');
    if (separatorStart.test(text) && this.separates(text, next)) return 'separator';
    return quotedSeparator.test(text) ? 'quoted' : 'text';
  }

  private separates(line: string, next: string): boolean {
    const text = line.trimEnd();
    if (this.isAfterBlank && (someDate.test(text) || headerField.test(next))) return true;
    return strictDate.test(text);
  }

  private keep(bytes: Buffer): void {
    const at = this.bytes;
    this.bytes += bytes.length;
    if (this.bytes > this.messageBytesMax && this.doubts.length === 0) {
      this.message = Buffer.alloc(0);
      return;
    }
    if (this.bytes > this.message.length) {
      const grown = Buffer.allocUnsafe(Math.max(2 * this.message.length, this.bytes, pieceBytes));
      this.message.copy(grown, 0, 0, at);
      this.message = grown;
    }
    bytes.copy(this.message, at);
    // No message is so large: the length was wrong.
    if (this.bytes > this.messageBytesMax) this.splitAtDoubts();
  }

  private finish(): void {
    const over = this.bytes + this.removed - (this.claimedEnd ?? Infinity);
    const isAsClaimed = over >= 0 && over <= gapBytesMax;
    if (!isAsClaimed && this.doubts.length > 0) this.splitAtDoubts();
    this.emit(this.message.subarray(0, this.bytes), this.bytes);
    this.message = Buffer.alloc(0);
    this.bytes = 0;
    this.removed = 0;
    this.isInHead = true;
    this.claimed = null;
    this.claimedEnd = null;
    this.doubts = [];
  }

  /** The length was wrong: the lines within it are separators, and what follows the last is the message. */
  private splitAtDoubts(): void {
    let from = 0;
    for (const { at, end, separator } of this.doubts) {
      this.emit(this.message.subarray(from, at), at - from);
      this.separator = separator;
      from = end;
    }
    this.message = Buffer.from(this.message.subarray(from, this.bytes));
    this.bytes -= from;
    this.claimedEnd = null;
    this.doubts = [];
  }

  private emit(message: Buffer, bytes: number): void {
    if (bytes === 0) return;
    const isTooLarge = bytes > this.messageBytesMax;
    const { separator } = this;
    this.found.push({ bytes: isTooLarge ? null : withoutBlankLine(message), separator });
  }

  private taken(): SplitMessage[] {
    return this.found.splice(0);
  }
}

/** The start of the line that begins at `end`; null while too little of it has arrived. */
function headAfter(data: Buffer, end: number): string | null {
  const feed = data.indexOf(lineFeed, end);
  if (feed < 0 && data.length - end < headerNameMax) return null;
  return data.toString('latin1', end, Math.min(feed < 0 ? data.length : feed, end + headerNameMax));
}

/** True if an incomplete line may turn out to be no text. */
function mayBecomeOther(data: Buffer, at: number, isInHead: boolean): boolean {
  const first = data[at];
  const isField = isInHead && (first === letterC || first === letterC + 0x20);
  if (isField) return data.length - at < headerNameMax;
  if (first === carriageReturn) return data.length - at === 1;
  return (first === letterF || first === quote) && data.length - at < separatorBytesMax;
}

/** Removes the empty line before a separator, which belongs to the separator. */
function withoutBlankLine(message: Buffer): Buffer {
  for (const blank of ['\r\n', '\n']) {
    const isThere = message.length === blank.length || message.at(-blank.length - 1) === lineFeed;
    if (isThere && message.subarray(-blank.length).toString('latin1') === blank) {
      return message.subarray(0, -blank.length);
    }
  }
  return message;
}
