import type { IHeaders } from 'kafkajs';
import { MalformedEnvelope, type BusRecord } from '../envelope.js';
import type { Arrival } from './consumption.js';

/** The header that a record's texts travel in, as one JSON object (docs/adr/0015 says why). */
const textsHeader = 'texts';

/**
 * A record's texts as its headers on Kafka. `traceparent` has its own, where tracing tools look for
 * it (W3C Trace Context).
 */
export function headersOf(headers: BusRecord['headers']): IHeaders {
  if (headers['traceparent'] === undefined) return { [textsHeader]: JSON.stringify(headers) };
  const { traceparent, ...texts } = headers;
  return { traceparent, [textsHeader]: JSON.stringify(texts) };
}

/**
 * What arrived as a record of the bus.
 * @throws MalformedEnvelope for what no sender of the bus writes
 */
export function readRecord({ headers = {}, value }: Arrival): BusRecord {
  if (value === null) throw new MalformedEnvelope('record without a value');
  return { headers: textsOf(headers), value };
}

/**
 * The texts of a record, be they in one header or each in its own, as those of an earlier version
 * are (events and dead letters are kept for weeks).
 * @throws MalformedEnvelope for headers that are no texts
 */
export function textsOf(headers: IHeaders): Record<string, string> {
  const together = headers[textsHeader];
  const texts = together === undefined ? {} : parsed(String(together));
  for (const [name, header] of Object.entries(headers)) {
    if (name === textsHeader) continue;
    // kafkajs gives null for a header without a value, whatever its types say.
    if (header == null || Array.isArray(header)) {
      throw new MalformedEnvelope(`record with a bad header ${name}`);
    }
    texts[name] = header.toString();
  }
  return texts;
}

function parsed(json: string): Record<string, string> {
  let texts: unknown;
  try {
    texts = JSON.parse(json);
  } catch {
    // No JSON at all is as malformed as JSON of another kind.
  }
  if (!isTexts(texts)) throw new MalformedEnvelope('record with bad texts');
  return texts;
}

const isTexts = (value: unknown): value is Record<string, string> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((text) => typeof text === 'string');
