import { hash } from 'node:crypto';
import type { ServiceName } from '@postroom/contracts';
import { UnverifiedRecord, type EventRecord, type RecordSignatures } from '../bus.js';
import { type BusRecord, MalformedEnvelope } from '../bus-record.js';
import { groupOf } from '../event-record.js';
import { publishes } from '../rights.js';
import { outgoingTopic } from '../topics.js';
import type { IHeaders } from 'kafkajs';
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

const signatureHeader = 'signature';

/** A record on its topic. */
interface TopicRecord extends BusRecord {
  readonly topic: string;
  readonly key: string;
}

/** The headers that an event is read from; what a dead letter or a tracing tool adds is not signed. */
const signedHeaders = ['version', 'id', 'type', 'tenant', 'resource'] as const;

/** Each part with its length in front: no two records give one text. */
function contentOf({ topic, key, headers, value }: TopicRecord): string {
  const parts = [topic, key, ...signedHeaders.map((name) => headers[name] ?? '')];
  const lengths = parts.map((part) => `${part.length}:${part}`);
  return `event/1 ${lengths.join('')}${hash('sha256', value, 'base64url')}`;
}

/** The record with the signature of this process. */
export const signedRecord = (
  record: TopicRecord,
  signatures: RecordSignatures | null,
): TopicRecord =>
  signatures === null
    ? record
    : {
        ...record,
        headers: { ...record.headers, [signatureHeader]: signatures.sign(contentOf(record)) },
      };

/**
 * The service that has published an event.
 * @throws UnverifiedRecord when no service has signed it, or one that does not publish on its topic
 */
export function publisherOf(
  event: EventRecord,
  record: TopicRecord,
  prefix: string,
  signatures: RecordSignatures,
): ServiceName {
  const group = groupOf(event);
  const { topic, headers } = record;
  if (topic !== outgoingTopic(group, prefix)) {
    throw new UnverifiedRecord(`${event.type} on the topic ${topic}`);
  }
  const signer = signatures.signerOf(contentOf(record), headers[signatureHeader] ?? '');
  if (!signer) throw new UnverifiedRecord(`${event.type} that no service has signed`);
  if (!publishes(signer, group)) throw new UnverifiedRecord(`${event.type} signed by ${signer}`);
  return signer;
}
