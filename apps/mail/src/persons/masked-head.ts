const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const tab = 0x09;
const colon = 0x3a;

/**
 * The beginning of a message with the values of header fields that name one of the addresses overwritten by `x`, byte
 * by byte: what follows stays at its place, and is found there by its attachments. Null where no field does.
 *
 * @param addresses in lower case
 */
export function maskedHead(head: Buffer, addresses: readonly string[]): Buffer | null {
  const masked = Buffer.from(head);
  // Characters of one byte each: positions in the text are those in the bytes.
  const text = head.toString('latin1').toLowerCase();
  const sought = addresses.map((one) => Buffer.from(one).toString('latin1').toLowerCase());
  let found = false;
  for (const [start, end] of fieldsOf(head)) {
    const field = text.slice(start, end);
    if (!sought.some((one) => field.includes(one))) continue;
    found = true;
    const named = head.subarray(start, end).indexOf(colon);
    for (let at = start + named + 1; at < end; at += 1) {
      if (!isBlank(head[at])) masked[at] = 0x78;
    }
  }
  return found ? masked : null;
}

const isBlank = (byte: number | undefined): boolean =>
  byte === lineFeed || byte === carriageReturn || byte === space || byte === tab;

/** The start and end of each header field, with its continuation lines (RFC 5322 §2.2.3), up to the empty line. */
function* fieldsOf(head: Buffer): Generator<readonly [number, number], undefined> {
  let start = 0;
  for (let at = 0; at < head.length;) {
    const feed = head.indexOf(lineFeed, at);
    const next = feed < 0 ? head.length : feed + 1;
    if (head[next] !== space && head[next] !== tab) {
      yield [start, next];
      start = next;
    }
    const isEnd = head[next] === lineFeed || head[next] === carriageReturn;
    if (isEnd) return;
    at = next;
  }
}
