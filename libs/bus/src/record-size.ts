import { recordBytesMax, RecordTooLarge } from './bus.js';
import type { BusRecord } from './envelope.js';

/** Bytes of a record as a broker counts them, without framing and escapes, for which topics leave room. */
export function recordBytes({ headers, value }: BusRecord): number {
  let bytes = value.length;
  for (const [name, text] of Object.entries(headers)) {
    bytes += name.length + Buffer.byteLength(text) + 4;
  }
  return bytes;
}

/** @throws RecordTooLarge */
export function checkSize(record: BusRecord): BusRecord {
  const bytes = recordBytes(record);
  if (bytes > recordBytesMax) throw new RecordTooLarge(bytes);
  return record;
}
