const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Whether there is a line break that is not CRLF: readers differ on what it ends (RFC 5321 §2.3.8). */
export function hasLoneBreak(raw: Uint8Array): boolean {
  let previous = 0;
  for (let at = 0; at < raw.length; at++) {
    const byte = raw[at] ?? 0;
    if ((byte === lineFeed) !== (previous === carriageReturn)) return true;
    previous = byte;
  }
  return previous === carriageReturn;
}
