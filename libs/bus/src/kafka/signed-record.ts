import { hash } from 'node:crypto';
import { type ServiceName } from '@postroom/contracts';
import { publishes } from '../rights.js';
import { outgoingTopic } from '../topics.js';
import { UnverifiedRecord, type EventRecord, type RecordSignatures } from '../bus.js';
import type { BusRecord } from '../envelope.js';
import { groupOf } from '../event-record.js';

const signatureHeader = 'signature';

/** A record on its topic. */
interface PlacedRecord extends BusRecord {
  readonly topic: string;
  readonly key: string;
}

/** The headers that an event is read from; what a dead letter or a tracing tool adds is not signed. */
const signedHeaders = ['version', 'id', 'type', 'tenant', 'resource'] as const;

/** Each part with its length in front: no two records give one text. */
function contentOf({ topic, key, headers, value }: PlacedRecord): string {
  const parts = [topic, key, ...signedHeaders.map((name) => headers[name] ?? '')];
  const lengths = parts.map((part) => `${part.length}:${part}`);
  return `event/1 ${lengths.join('')}${hash('sha256', value, 'base64url')}`;
}

/** The record with the signature of this process. */
export const signedRecord = (
  record: PlacedRecord,
  signatures: RecordSignatures | null,
): PlacedRecord =>
  signatures === null
    ? record
    : {
        ...record,
        headers: { ...record.headers, [signatureHeader]: signatures.sign(contentOf(record)) },
      };

/**
 * The service that has published an event.
 * @throws UnverifiedRecord when nobody has signed it, or somebody who does not publish on its topic
 */
export function publisherOf(
  event: EventRecord,
  record: PlacedRecord,
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
