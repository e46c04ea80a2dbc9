import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  decodeReply,
  decodeRequest,
  encodeReply,
  encodeRequest,
  MalformedEnvelope,
  type BusRecord,
} from './bus-record.js';
import type { ReplyEnvelope, RequestEnvelope } from './envelope.js';

/** Any text that can be a header of the bus: Kafka's are UTF-8. */
const texts = fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed());
const bytes = fc.uint8Array({ maxLength: 64 }).map((array) => Buffer.from(array));

const requests: fc.Arbitrary<RequestEnvelope> = fc.record({
  id: texts,
  operation: texts,
  deadlineMs: fc.maxSafeNat(),
  caller: texts,
  signature: texts,
  idempotencyKey: fc.option(texts),
  preview: fc.boolean(),
  requestId: texts,
  traceparent: fc.option(texts),
  orderKey: fc.option(texts),
  references: fc.option(texts),
  replyTo: fc.option(texts),
  input: bytes,
});

const replies: fc.Arbitrary<ReplyEnvelope> = fc.record({
  id: texts,
  status: fc.integer({ min: 100, max: 599 }),
  headers: fc.dictionary(texts, fc.oneof(texts, fc.array(texts))),
  problem: fc.option(texts),
  body: bytes,
});

/** The record as a broker hands it on: every header and the value through bytes. */
const throughBytes = ({ headers, value }: BusRecord): BusRecord => ({
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, text]) => [name, Buffer.from(text).toString()]),
  ),
  value: Buffer.from(value),
});

const without = ({ headers, value }: BusRecord, name: string): BusRecord => ({
  headers: Object.fromEntries(Object.entries(headers).filter(([other]) => other !== name)),
  value,
});

const withHeader = ({ headers, value }: BusRecord, name: string, text: string): BusRecord => ({
  headers: { ...headers, [name]: text },
  value,
});

const request = encodeRequest({
  id: 'req_1',
  operation: 'conversations.archive',
  deadlineMs: 1_790_000_000_000,
  caller: '{}',
  signature: 's',
  idempotencyKey: null,
  preview: false,
  requestId: 'r',
  traceparent: null,
  orderKey: null,
  references: null,
  replyTo: null,
  input: Buffer.from('{}'),
});

const reply = encodeReply({
  id: 'req_1',
  status: 200,
  headers: {},
  problem: null,
  body: Buffer.from('{}'),
});

describe('the envelope of a request', () => {
  it('arrives as it was sent, whatever its texts and bytes', () => {
    fc.assert(
      fc.property(requests, (sent) => {
        expect(decodeRequest(throughBytes(encodeRequest(sent)))).toEqual(sent);
      }),
    );
  });

  it.each(['id', 'operation', 'deadline', 'caller', 'signature', 'requestId'])(
    'is malformed without its %s',
    (name) => {
      expect(() => decodeRequest(without(request, name))).toThrow(MalformedEnvelope);
    },
  );

  it.each(['', ' ', 'soon', 'NaN', 'Infinity', '1e400'])(
    'is malformed with the deadline %j',
    (deadline) => {
      expect(() => decodeRequest(withHeader(request, 'deadline', deadline))).toThrow(
        MalformedEnvelope,
      );
    },
  );
});

describe('the envelope of a reply', () => {
  it('arrives as it was sent, whatever its texts and bytes', () => {
    fc.assert(
      fc.property(replies, (sent) => {
        expect(decodeReply(throughBytes(encodeReply(sent)))).toEqual(sent);
      }),
    );
  });

  it.each(['id', 'status', 'http'])('is malformed without its %s', (name) => {
    expect(() => decodeReply(without(reply, name))).toThrow(MalformedEnvelope);
  });

  it.each(['', 'ok'])('is malformed with the status %j', (status) => {
    expect(() => decodeReply(withHeader(reply, 'status', status))).toThrow(MalformedEnvelope);
  });

  it.each(['', '{', 'null', '[]', '"text"'])('is malformed with the HTTP headers %j', (http) => {
    expect(() => decodeReply(withHeader(reply, 'http', http))).toThrow(MalformedEnvelope);
  });
});

describe('the version of an envelope', () => {
  it.each(['0', '2', '1.0', ''])('is refused when it is %j', (version) => {
    expect(() => decodeRequest(withHeader(request, 'version', version))).toThrow(MalformedEnvelope);
    expect(() => decodeReply(withHeader(reply, 'version', version))).toThrow(MalformedEnvelope);
  });

  it('is refused when it is missing', () => {
    expect(() => decodeRequest(without(request, 'version'))).toThrow(
      new MalformedEnvelope('envelope version missing'),
    );
    expect(() => decodeReply(without(reply, 'version'))).toThrow(MalformedEnvelope);
  });
});
