import type { ReplyEnvelope, RequestEnvelope } from './envelope.js';

/** A record of the bus: text headers and bytes (on Kafka: `kafka/record.ts`). */
export interface BusRecord {
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Buffer;
}

/** The version of both envelopes; any other version is refused. */
export const recordVersion = '1';

/** A record that this version cannot decode: a poison record. */
export class MalformedEnvelope extends Error {
  override readonly name = 'MalformedEnvelope';
}

export function encodeRequest(request: RequestEnvelope): BusRecord {
  const { input, deadlineMs, idempotencyKey, preview, traceparent, ...rest } = request;
  const { orderKey, references, replyTo, inputRef, ...texts } = rest;
  return {
    headers: {
      version: recordVersion,
      ...texts,
      deadline: String(deadlineMs),
      ...(idempotencyKey !== null && { 'idempotency-key': idempotencyKey }),
      ...(preview && { preview: '1' }),
      ...(traceparent !== null && { traceparent }),
      ...(orderKey !== null && { 'order-key': orderKey }),
      ...(references !== null && { references }),
      ...(replyTo !== null && { 'reply-to': replyTo }),
      ...(inputRef !== undefined && { 'input-ref': inputRef }),
    },
    value: input,
  };
}

export function decodeRequest(record: BusRecord): RequestEnvelope {
  const { headers } = record;
  checkVersion(record);
  return {
    id: required(headers, 'id'),
    operation: required(headers, 'operation'),
    deadlineMs: requiredNumber(headers, 'deadline'),
    caller: required(headers, 'caller'),
    signature: required(headers, 'signature'),
    requestId: required(headers, 'requestId'),
    idempotencyKey: headers['idempotency-key'] ?? null,
    preview: headers['preview'] === '1',
    traceparent: headers['traceparent'] ?? null,
    orderKey: headers['order-key'] ?? null,
    references: headers['references'] ?? null,
    replyTo: headers['reply-to'] ?? null,
    input: record.value,
    ...optional('inputRef', headers['input-ref']),
  };
}

export function encodeReply(reply: ReplyEnvelope): BusRecord {
  return {
    headers: {
      version: recordVersion,
      id: reply.id,
      status: String(reply.status),
      http: JSON.stringify(reply.headers),
      ...(reply.problem !== null && { problem: reply.problem }),
      ...(reply.bodyRef !== undefined && { 'body-ref': reply.bodyRef }),
      ...(reply.bodyBytes !== undefined && { 'body-bytes': String(reply.bodyBytes) }),
      ...(reply.signature !== undefined && { signature: reply.signature }),
    },
    value: reply.body,
  };
}

export function decodeReply(record: BusRecord): ReplyEnvelope {
  const { headers } = record;
  checkVersion(record);
  return {
    id: required(headers, 'id'),
    status: requiredNumber(headers, 'status'),
    headers: httpHeaders(required(headers, 'http')),
    problem: headers['problem'] ?? null,
    body: record.value,
    ...optional('bodyRef', headers['body-ref']),
    ...(headers['body-bytes'] !== undefined && {
      bodyBytes: requiredNumber(headers, 'body-bytes'),
    }),
    ...optional('signature', headers['signature']),
  };
}

const optional = <Name extends string>(name: Name, value: string | undefined) =>
  (value === undefined ? {} : { [name]: value }) as Partial<Record<Name, string>>;

function checkVersion({ headers }: BusRecord): void {
  if (headers['version'] !== recordVersion) {
    throw new MalformedEnvelope(`envelope version ${headers['version'] ?? 'missing'}`);
  }
}

function required(headers: BusRecord['headers'], name: string): string {
  const value = headers[name];
  if (value === undefined) throw new MalformedEnvelope(`envelope without ${name}`);
  return value;
}

function requiredNumber(headers: BusRecord['headers'], name: string): number {
  const text = required(headers, name);
  if (!/^\d{1,16}$/.test(text)) throw new MalformedEnvelope(`envelope with a bad ${name}`);
  return Number(text);
}

function httpHeaders(text: string): ReplyEnvelope['headers'] {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as ReplyEnvelope['headers'];
    }
  } catch {
    // Malformed, like JSON of another shape below.
  }
  throw new MalformedEnvelope('envelope with bad http');
}

/** A record is larger than brokers accept; larger bodies travel by reference. */
export class RecordTooLarge extends Error {
  override readonly name = 'RecordTooLarge';

  constructor(readonly bytes: number) {
    super(`a record of ${bytes} bytes; the bus carries ${recordBytesMax}`);
  }
}

/** Bytes of a record, headers and key included: room for a body of 1 MiB and its caller. */
export const recordBytesMax = 1.5 * 1024 * 1024;

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
