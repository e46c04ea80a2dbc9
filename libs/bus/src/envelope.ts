import { problemFacts } from '@postroom/contracts';

/** What every record of the bus is made of: text headers and bytes (on Kafka: `kafka/record.ts`). */
export interface BusRecord {
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Buffer;
}

/** A call of one operation, on its way to the service that owns it. */
export interface RequestEnvelope {
  /** Unique per call; a redelivery carries the same one. */
  readonly id: string;
  readonly operation: string;
  /** Epoch milliseconds; past it nobody waits for the reply. */
  readonly deadlineMs: number;
  /** Who asks: the Caller as JSON, and the gateway's signature over it and this call. */
  readonly caller: string;
  readonly signature: string;
  readonly idempotencyKey: string | null;
  /** Run it, say what it would answer, and roll it back. */
  readonly preview: boolean;
  /** The HTTP request's id, for logs and audit. */
  readonly requestId: string;
  /** W3C trace context. */
  readonly traceparent: string | null;
  /** Requests that share it are handled one after the other, in the order sent: tenant and resource
   * of a write. Null for a read. */
  readonly orderKey: string | null;
  /** The validated input as JSON; empty where `inputRef` stands for it. */
  readonly input: Buffer;
  /** Where an input waits that is too large for the envelope; between two `ByReferenceBus` only. */
  readonly inputRef?: string;
}

/** The answer: a success body passed on unparsed, or a problem. */
export interface ReplyEnvelope {
  /** The request's id. */
  readonly id: string;
  readonly status: number;
  /** HTTP headers that go with it. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Code of the catalogue when it failed; the body then holds its violations. */
  readonly problem: string | null;
  /** JSON text; empty where `bodyRef` stands for it. */
  readonly body: Buffer;
  /** Where a body waits that is too large for the envelope; between two `ByReferenceBus` only. */
  readonly bodyRef?: string;
}

/** The answer in place of one that cannot be given: the caller is not left to its deadline. */
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

/** The version of both envelopes; another one is refused, never guessed at. */
export const recordVersion = '1';

/** An envelope that this version cannot read: a poison record. */
export class MalformedEnvelope extends Error {
  override readonly name = 'MalformedEnvelope';
}

export function encodeRequest(request: RequestEnvelope): BusRecord {
  const { input, deadlineMs, idempotencyKey, preview, traceparent, orderKey, inputRef, ...texts } =
    request;
  return {
    headers: {
      version: recordVersion,
      ...texts,
      deadline: String(deadlineMs),
      ...(idempotencyKey !== null && { 'idempotency-key': idempotencyKey }),
      ...(preview && { preview: '1' }),
      ...(traceparent !== null && { traceparent }),
      ...(orderKey !== null && { 'order-key': orderKey }),
      ...(inputRef !== undefined && { 'input-ref': inputRef }),
    },
    value: input,
  };
}

export function decodeRequest(record: BusRecord): RequestEnvelope {
  const { headers } = record;
  checkVersion(record);
  return {
    id: need(headers, 'id'),
    operation: need(headers, 'operation'),
    deadlineMs: needNumber(headers, 'deadline'),
    caller: need(headers, 'caller'),
    signature: need(headers, 'signature'),
    requestId: need(headers, 'requestId'),
    idempotencyKey: headers['idempotency-key'] ?? null,
    preview: headers['preview'] === '1',
    traceparent: headers['traceparent'] ?? null,
    orderKey: headers['order-key'] ?? null,
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
    },
    value: reply.body,
  };
}

export function decodeReply(record: BusRecord): ReplyEnvelope {
  const { headers } = record;
  checkVersion(record);
  return {
    id: need(headers, 'id'),
    status: needNumber(headers, 'status'),
    headers: httpHeaders(need(headers, 'http')),
    problem: headers['problem'] ?? null,
    body: record.value,
    ...optional('bodyRef', headers['body-ref']),
  };
}

const optional = <Name extends string>(name: Name, value: string | undefined) =>
  (value === undefined ? {} : { [name]: value }) as Partial<Record<Name, string>>;

function checkVersion({ headers }: BusRecord): void {
  if (headers['version'] !== recordVersion) {
    throw new MalformedEnvelope(`envelope version ${headers['version'] ?? 'missing'}`);
  }
}

function need(headers: BusRecord['headers'], name: string): string {
  const value = headers[name];
  if (value === undefined) throw new MalformedEnvelope(`envelope without ${name}`);
  return value;
}

function needNumber(headers: BusRecord['headers'], name: string): number {
  const text = need(headers, name);
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
    // No JSON at all is as malformed as JSON of another kind.
  }
  throw new MalformedEnvelope('envelope with bad http');
}
