import { isRecord, type JsonObject } from './json.js';

/** The id of a request as it was written (`JSON.rawJSON`): a huge number would lose digits otherwise. */
export type RequestId = string | number | object;

/** A JSON-RPC message that can be answered, or need not be. */
export type Message =
  | { readonly kind: 'request'; readonly id: RequestId; readonly fields: JsonObject }
  | { readonly kind: 'notification'; readonly fields: JsonObject }
  | { readonly kind: 'unreadable' };

const unreadable: Message = { kind: 'unreadable' };

/**
 * Reads a JSON-RPC message. Of what is no object (a batch is none), or has an id that is neither text
 * nor number, nothing can be said to the request that it was.
 */
export function readMessage(text: string): Message {
  const value = parsed(text);
  if (!isRecord(value)) return unreadable;
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

/** Whether a message says what JSON-RPC 2.0 asks of every request. */
export const isEnvelope = (message: JsonObject): boolean =>
  message['jsonrpc'] === '2.0' && typeof message['method'] === 'string';

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
