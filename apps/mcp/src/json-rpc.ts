import { FileAnswer, rpcCodes, type FaultCode } from '@postroom/contracts';
import { isRecord, type JsonObject } from './json.js';

/** The id of a request as it was written (`JSON.rawJSON`): a huge number would lose digits otherwise. */
export type RequestId = string | number | object;

/** A JSON-RPC message that can be answered, or need not be. */
export type Message =
  | { readonly kind: 'request'; readonly id: RequestId; readonly fields: JsonObject }
  | { readonly kind: 'notification'; readonly fields: JsonObject }
  /** The answer to a request, which we never make. */
  | { readonly kind: 'response' }
  | { readonly kind: 'unreadable' };

const unreadable: Message = { kind: 'unreadable' };

/**
 * Reads a JSON-RPC message. One that is no object (a batch is none), or has an id that is neither text nor
 * number, cannot be answered as a request.
 */
export function readMessage(text: string): Message {
  const value = parsed(text);
  if (!isRecord(value)) return unreadable;
  if (isResponse(value)) return { kind: 'response' };
  if (!Object.hasOwn(value, 'id')) {
    return isEnvelope(value) ? { kind: 'notification', fields: value } : unreadable;
  }
  const { id } = value;
  if (typeof id === 'string') return { kind: 'request', id, fields: value };
  if (typeof id !== 'number') return unreadable;
  return {
    kind: 'request',
    id: Number.isSafeInteger(id) ? id : asWritten(text, id),
    fields: value,
  };
}

/** True if a message has the fields that JSON-RPC 2.0 demands. */
export const isEnvelope = (message: JsonObject): boolean =>
  message['jsonrpc'] === '2.0' && typeof message['method'] === 'string';

const isResponse = (message: JsonObject): boolean =>
  message['jsonrpc'] === '2.0' &&
  !Object.hasOwn(message, 'method') &&
  (Object.hasOwn(message, 'result') || Object.hasOwn(message, 'error'));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** ECMAScript 2026, which TypeScript does not know yet. */
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => object };

/** The number in the member `id` of a message, as it was written; rounded, of one nested without end. */
function asWritten(text: string, rounded: number): RequestId {
  const ids = new Map<unknown, object>();
  function keepNumber(this: unknown, key: string, value: unknown, context?: { source?: string }) {
    if (key === 'id' && typeof value === 'number' && context?.source !== undefined)
      ids.set(this, rawJSON(context.source));
    return value;
  }
  try {
    return ids.get(JSON.parse(text, keepNumber)) ?? rounded;
  } catch {
    return Number.isFinite(rounded) ? rounded : 0;
  }
}

export type RpcCode = (typeof rpcCodes)[keyof typeof rpcCodes];

/** A refusal that is a JSON-RPC error. */
export class RpcError extends Error {
  override readonly name = 'RpcError';

  constructor(
    readonly code: RpcCode,
    message: string,
    readonly data?: JsonObject,
    /** Revision 2026-07-28 names another one for some errors. */
    readonly status = 200,
  ) {
    super(message);
  }
}

/** A fault of a parameter. */
export interface ParameterFault {
  readonly field: string;
  readonly code: FaultCode;
  readonly message: string;
}

/** An error of parameters that names what is wrong with which of them. */
export const invalidParams = (message: string, details: readonly ParameterFault[] = []): RpcError =>
  new RpcError(
    rpcCodes.invalidParams,
    message,
    details.length > 0 ? { details: [...details] } : undefined,
  );

const headers = { 'content-type': 'application/json; charset=utf-8' };

const json = (status: number, value: object): FileAnswer =>
  new FileAnswer(Buffer.from(JSON.stringify(value)), headers, status);

/** The answer to a request. */
export const resultOf = (id: RequestId, result: object): FileAnswer =>
  json(200, { jsonrpc: '2.0', id, result });

/** The refusal of a request; HTTP says nothing of most, since clients would not read the body. */
export const errorOf = (id: RequestId, error: RpcError): FileAnswer =>
  json(error.status, { jsonrpc: '2.0', id, error: errorObject(error) });

/** An error as a message says it. */
export const errorObject = ({ code, message, data }: RpcError): JsonObject => ({
  code,
  message,
  ...(data && { data }),
});

/** The refusal of what cannot be answered as a request; revision 2026-07-28 leaves out an id that was not read. */
export const badRequest = (
  message: string,
  id: { readonly id?: null } = { id: null },
): FileAnswer =>
  json(400, { jsonrpc: '2.0', ...id, error: { code: rpcCodes.invalidRequest, message } });

/** The answer to a notification; a body would make some clients drop the connection. */
export const accepted = (): FileAnswer => new FileAnswer(Buffer.alloc(0), {}, 202);
