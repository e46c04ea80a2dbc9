import { describe, expect, it } from '@jest/globals';
import type { IHeaders } from 'kafkajs';
import { MalformedEnvelope } from '../bus-record.js';
import { headersOf, readRecord } from './record.js';

const value = Buffer.from('body');

const arrived = (headers?: IHeaders) => readRecord({ topic: 't', key: null, headers, value });

/** As kafkajs hands headers on. */
const asBytes = (headers: IHeaders): IHeaders =>
  Object.fromEntries(
    Object.entries(headers).map(([name, text]) => [name, Buffer.from(String(text))]),
  );

describe('the texts of a record', () => {
  const texts = {
    version: '1',
    caller: '{"name":"Zoë \\" \u0000"}',
    empty: '',
    ['__proto__']: 'p',
  };

  it('arrive as they were written, in one header', () => {
    const headers = headersOf(texts);
    expect(Object.keys(headers)).toHaveLength(1);
    expect(arrived(asBytes(headers))).toEqual({ headers: texts, value });
  });

  it('leave the trace in a header of its own, where tools look for it', () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const headers = headersOf({ ...texts, traceparent });
    expect(headers['traceparent']).toBe(traceparent);
    expect(arrived(asBytes(headers))).toEqual({ headers: { ...texts, traceparent }, value });
  });

  it('are read when each is a header', () => {
    expect(arrived(asBytes({ version: '1', id: 'a' }))).toEqual({
      headers: { version: '1', id: 'a' },
      value,
    });
    expect(arrived()).toEqual({ headers: {}, value });
  });

  it('are refused when they are no texts', () => {
    for (const bad of ['', '{', 'null', '["a"]', '"a"', '{"version":1}', '{"a":["b"]}']) {
      expect(() => arrived(asBytes({ texts: bad }))).toThrow(MalformedEnvelope);
    }
    expect(() => arrived({ caller: [Buffer.from('a'), Buffer.from('b')] })).toThrow(
      'record with a bad header caller',
    );
    const empty = JSON.parse('{"caller":null}') as IHeaders;
    expect(() => arrived(empty)).toThrow('record with a bad header caller');
    expect(() => readRecord({ topic: 't', key: null, value: null })).toThrow(
      'record without a value',
    );
  });
});
