import type { IHeaders } from 'kafkajs';
import { MalformedEnvelope, type BusRecord } from '../envelope.js';
import type { ConsumedRecord } from './group-member.js';

/** The Kafka header that carries all text headers of a record as one JSON object (docs/adr/0015 says why). */
const textsHeader = 'texts';

/**
 * Text headers as Kafka headers. `traceparent` is a header of its own, where tracing tools look for it
 * (W3C Trace Context).
 */
export function headersOf(headers: BusRecord['headers']): IHeaders {
  if (headers['traceparent'] === undefined) return { [textsHeader]: JSON.stringify(headers) };
  const { traceparent, ...texts } = headers;
  return { traceparent, [textsHeader]: JSON.stringify(texts) };
}

/**
 * A consumed record as a record of the bus.
 * @throws MalformedEnvelope for a record that no sender of the bus writes
 */
export function readRecord({ headers = {}, value }: ConsumedRecord): BusRecord {
  if (value === null) throw new MalformedEnvelope('record without a value');
  return { headers: textsOf(headers), value };
}

/**
 * The text headers of a record: those of the common header, and those that have a header of their own.
 * @throws MalformedEnvelope for headers that are not text
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
    // Malformed, like JSON of another shape below.
  }
  if (!isTexts(texts)) throw new MalformedEnvelope('record with bad texts');
  return texts;
}

const isTexts = (value: unknown): value is Record<string, string> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((text) => typeof text === 'string');
