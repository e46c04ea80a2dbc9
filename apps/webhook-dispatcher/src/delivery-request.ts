import { excerptBytesMax, type DeliveryRequest } from '@postroom/contracts';

/**
 * The body of a delivery, the same text on every attempt: the envelope as it stood in the outbox, with the
 * type named as the subscription asks for.
 */
export function bodyOf(envelope: string, name: string): string {
  const event = JSON.parse(envelope) as { readonly type: string };
  return event.type === name ? envelope : JSON.stringify({ ...event, type: name });
}

/** The request of the last attempt of a delivery, as it is stored. */
export interface SentRow {
  readonly headers: DeliveryRequest['headers'] | null;
  /** Null when the event is no longer kept. */
  readonly envelope: string | null;
  readonly isRenamed: boolean | null;
  readonly eventType: string;
}

/** The whole request of a delivery; its envelope is whole. */
export function requestOf({ headers, envelope, eventType }: SentRow): DeliveryRequest | null {
  if (headers === null) return null;
  return { headers, body: envelope === null ? null : bodyOf(envelope, eventType) };
}

/** A request with the beginning of its body; only an envelope whose type is renamed has to be whole. */
export function requestExcerptOf(row: SentRow): DeliveryRequest | null {
  if (row.headers === null || row.envelope === null) return requestOf(row);
  const text = row.isRenamed === true ? bodyOf(row.envelope, row.eventType) : row.envelope;
  const body = Buffer.from(text).subarray(0, excerptBytesMax).toString();
  return { headers: row.headers, body };
}
