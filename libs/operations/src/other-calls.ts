import type { ReplyEnvelope } from '@postroom/bus';
import type { FileAnswer } from '@postroom/contracts';
import { type Call, type Headers, originOf, reply } from './call.js';
import type { Reading, Sending } from './context.js';
import type { UnitOfWork } from './unit-of-work.js';

/** The context of a send, which claims nothing here: its handler makes a reservation of its own. */
export function sending({ operation, request }: Call, reading: Reading, headers: Headers): Sending {
  const { id, idempotencyKey, preview } = request;
  if ((idempotencyKey === null && operation.idempotency === 'send') || preview) {
    throw new Error(`${operation.id} without an Idempotency-Key, or to be rolled back`);
  }
  return {
    ...reading,
    operation: operation.id,
    idempotencyKey: idempotencyKey ?? id,
    header: (name, value) => (headers[name] = value),
  };
}

/** The context that a preview prepares in: its statements cannot write. */
export function readOnly(call: Call, reading: Reading, work: UnitOfWork): Reading {
  const origin = originOf(call);
  return {
    ...reading,
    rows: (statement, values) => work.readOnly(origin, ({ rows }) => rows(statement, values)),
    entities: (read) => work.readOnly(origin, ({ manager }) => read(manager)),
  };
}

/** The reply to a read that answers a file. */
export function fileReply(
  { request, operation }: Call,
  { bytes, headers, status, stored }: FileAnswer,
): ReplyEnvelope {
  const answered = reply(request, status ?? operation.success, headers, bytes);
  if (stored === null) return answered;
  return { ...answered, bodyRef: stored.reference, bodyBytes: stored.size };
}
