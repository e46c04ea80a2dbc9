import { MalformedEnvelope, type BusRecord } from '../envelope.js';
import type { Arrival } from './consumption.js';

/**
 * What arrived as a record of the bus.
 * @throws MalformedEnvelope for what no sender of the bus writes
 */
export function readRecord({ headers = {}, value }: Arrival): BusRecord {
  if (value === null) throw new MalformedEnvelope('record without a value');
  const texts: Record<string, string> = {};
  for (const [name, header] of Object.entries(headers)) {
    if (header === undefined || Array.isArray(header)) {
      throw new MalformedEnvelope(`record with a bad header ${name}`);
    }
    texts[name] = header.toString();
  }
  return { headers: texts, value };
}
