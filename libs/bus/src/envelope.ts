import { problemFacts } from '@postroom/contracts';

/** A record of the bus: text headers and bytes (on Kafka: `kafka/record.ts`). */
export interface BusRecord {
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Buffer;
}

/** A call of one operation, addressed to the service that owns it. */
export interface RequestEnvelope {
  /** Unique per call; a redelivery carries the same one. */
  readonly id: string;
  readonly operation: string;
  /** Epoch milliseconds, after which the caller does not wait for the reply. */
  readonly deadlineMs: number;
  /** The Caller as JSON, and the signature over it and this call of the service that asks: the gateway, or MCP. */
  readonly caller: string;
  readonly signature: string;
  readonly idempotencyKey: string | null;
  /** Run the operation, return what it would answer, and roll it back. */
  readonly preview: boolean;
  /** The HTTP request's id, for logs and audit. */
  readonly requestId: string;
  /** W3C trace context. */
  readonly traceparent: string | null;
  /**
   * Requests that share it are handled one by one, in the order sent: tenant and resource of a write.
   * Null for a read.
   */
  readonly orderKey: string | null;
  /**
   * The names in the input that the sender does not know, as JSON `{ unknown: [{ field, name }] }`; null
   * when it knows all of them.
   */
  readonly references: string | null;
  /** The validated input as JSON; empty where `inputRef` stands for it. */
  readonly input: Buffer;
  /** Reference of an input that is too large for the envelope; between two `ByReferenceBus` only. */
  readonly inputRef?: string;
}

/** The answer: a success with its body, which is passed on unparsed, or a problem. */
export interface ReplyEnvelope {
  /** The request's id. */
  readonly id: string;
  readonly status: number;
  /** HTTP headers of the answer. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The problem's code when the call failed; the body then holds the violations. */
  readonly problem: string | null;
  /** JSON text; empty where `bodyRef` stands for it. */
  readonly body: Buffer;
  /** Reference of a body that is too large for the envelope; between two `ByReferenceBus` only. */
  readonly bodyRef?: string;
  /** Length of the body that `bodyRef` stands for. */
  readonly bodyBytes?: number;
  /** The service's signature, between processes. */
  readonly signature?: string;
}

/** The reply when the handler gives none, so that the caller does not wait until its deadline. */
export const refusal = (
  { id }: RequestEnvelope,
  problem: 'INTERNAL' | 'SERVICE_UNAVAILABLE',
): ReplyEnvelope => ({
  id,
  status: problemFacts(problem).status,
  headers: {},
  problem,
  body: Buffer.from('{"violations":[]}'),
});

/** The version of both envelopes; any other version is refused. */
export const recordVersion = '1';

/** A record that this version cannot decode: a poison record. */
export class MalformedEnvelope extends Error {
  override readonly name = 'MalformedEnvelope';
}

export function encodeRequest(request: RequestEnvelope): BusRecord {
  const { input, deadlineMs, idempotencyKey, preview, traceparent, ...rest } = request;
  const { orderKey, references, inputRef, ...texts } = rest;
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
