import { describe, expect, it } from '@jest/globals';
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { parseBody, readBody } from './read-body.js';

const bytesMax = 20;

/** A request whose body comes in these pieces. */
const request = (
  pieces: Iterable<string | Buffer>,
  headers: Record<string, string> = {},
): FastifyRequest => {
  const chunks = [...pieces].map((piece) => Buffer.from(piece as string));
  return { headers, raw: Readable.from(chunks) } as unknown as FastifyRequest;
};

const read = async (of: FastifyRequest): Promise<unknown> =>
  parseBody(of, await readBody(of, bytesMax));

describe('a JSON body', () => {
  it.each([
    ['an object', ['{"a":1}'], { a: 1 }],
    [
      'an object in pieces, a character among two of them',
      ['{"a":"', Buffer.from([0xc3]), Buffer.from([0xa9]), '"}'],
      { a: 'é' },
    ],
    ['what is no object', ['[1]'], [1]],
    ['nothing, as an object', [], {}],
    ['no byte, as an object', [''], {}],
    ['the limit and not a byte more', ['{"a":1}'.padEnd(bytesMax)], { a: 1 }],
  ])('reads %s', async (_name, pieces, value) => {
    await expect(read(request(pieces))).resolves.toEqual(value);
  });

  it('refuses a declared length past the limit without reading', async () => {
    const declared = request(['{}'], { 'content-length': String(bytesMax + 1) });
    await expect(read(declared)).rejects.toMatchObject({
      code: 'BODY_TOO_LARGE',
    });
    expect(declared.raw.readableDidRead).toBe(false);
  });

  it('refuses at the first byte past the limit, and lets the rest go by', async () => {
    let sent = 0;
    const endless = (function* () {
      for (; sent < 1_000; sent++) yield Buffer.alloc(10, ' ');
    })();
    const raw = Readable.from(endless, { highWaterMark: 1 });
    const long = { headers: {}, raw } as unknown as FastifyRequest;
    await expect(read(long)).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' });
    expect(sent).toBeLessThan(10);
    await new Promise((resolve) => raw.once('end', resolve));
    expect(raw.readableLength).toBe(0);
  });

  it('refuses a stream that breaks', async () => {
    const raw = new Readable({
      read() {
        this.destroy(new Error('aborted'));
      },
    });
    const broken = { headers: {}, raw } as unknown as FastifyRequest;
    await expect(read(broken)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      violations: [{ field: '', message: { en: 'the body was cut off' } }],
    });
  });

  it.each([
    ['{', 'the body is not valid JSON'],
    ['\ufeff', 'the body is not valid JSON'],
    ['{"__proto__":1}', 'the body is not valid JSON'],
    [Buffer.from([0x22, 0xff, 0x22]), 'expected UTF-8 text'],
  ])('refuses %j: %s', async (body, en) => {
    await expect(read(request([body]))).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      violations: [{ field: '', message: { en } }],
    });
  });

  it.each([
    'application/json',
    'APPLICATION/JSON;charset=utf-8',
    'application/merge-patch+json ; a=b',
  ])('takes the type %s', async (type) => {
    const typed = request(['{}'], { 'content-type': type });
    await expect(read(typed)).resolves.toEqual({});
  });

  it.each(['text/json', 'application/jsonl', 'application/+json', 'json', ''])(
    'refuses the type %j',
    async (type) => {
      const typed = request(['{}'], { 'content-type': type });
      await expect(read(typed)).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
      });
    },
  );
});
