import { costLimits } from './limits.js';

const lineFeed = 0x0a;
const hyphen = 0x2d;
const transferEncoding = 'content-transfer-encoding:';

/**
 * Why parsing this message would cost more than it may, or null. One pass over the bytes, before
 * anything is allocated: the MIME parser keeps every line of a body that is not base64 as an
 * object, and compares every line that starts with `--` with every open boundary.
 */
export function excessiveCost(raw: Uint8Array): string | null {
  let lines = 0;
  let plainLines = 0;
  let plainBytes = 0;
  let delimiterLines = 0;
  let base64 = false;
  for (let start = 0; start < raw.length; lines++) {
    const feed = raw.indexOf(lineFeed, start);
    const end = feed < 0 ? raw.length : feed + 1;
    if (raw[start] === hyphen && raw[start + 1] === hyphen) {
      delimiterLines++;
      base64 = false;
    } else if (declaresBase64(raw, start, end)) {
      base64 = true;
    }
    if (!base64) {
      plainLines++;
      plainBytes += end - start;
    }
    start = end;
    if (plainLines > costLimits.plainLinesMax) return 'too many lines outside base64';
    if (lines > costLimits.linesMax) return 'too many lines';
  }
  if (plainBytes > costLimits.plainBytesMax) return 'too many bytes outside base64';
  return delimiterLines > costLimits.delimiterLinesMax ? 'too many part delimiters' : null;
}

function declaresBase64(raw: Uint8Array, start: number, end: number): boolean {
  const startsWithC = ((raw[start] ?? 0) | 0x20) === 0x63;
  if (!startsWithC || end - start < transferEncoding.length) return false;
  const line = String.fromCharCode(...raw.subarray(start, Math.min(end, start + 100)));
  const header = line.toLowerCase();
  return header.startsWith(transferEncoding) && header.includes('base64');
}
