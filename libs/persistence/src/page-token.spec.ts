import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newId, Problem } from '@postroom/contracts';
import fc from 'fast-check';
import { PageTokens, type Cursor, type ListQuery } from './page-token.js';

const key = randomBytes(32);
const tokens = new PageTokens([key]);
const invalid = expect.objectContaining({ code: 'INVALID_PAGE_TOKEN', status: 400 });

const ids = fc.ulid().map((ulid) => `cnv_${ulid}`);
const times = fc.date({ noInvalidDate: true }).map((time) => time.toISOString());
const cursors: fc.Arbitrary<Cursor> = fc.oneof(
  fc.tuple(ids),
  fc.tuple(times, ids),
  fc.tuple(fc.stringMatching(/^[\d:,]{0,40}$/), times, ids, times),
);
const queries = fc
  .string({ unit: 'binary', maxLength: 40 })
  .filter((text) => text.isWellFormed())
  .map((text): ListQuery => ['things.list', text]);

const cursor: Cursor = ['1000:1003:1001', '2026-09-21T14:13:20.500Z', newId('cnv')];
const query: ListQuery = ['things.list', 'ten_1'];

/** The result of reading: the cursor, or the error. */
function reading(of: PageTokens, query: ListQuery, token: string): unknown {
  try {
    return of.read(query, token);
  } catch (error) {
    return error;
  }
}

describe('a page token', () => {
  it('gives back the cursor it was issued for, under its query', () => {
    fc.assert(
      fc.property(queries, cursors, (query, issued) => {
        expect(tokens.read(query, tokens.issue(query, issued))).toEqual(issued);
      }),
    );
  });

  it('is text that a URL carries as it is, within the length a query may have', () => {
    fc.assert(
      fc.property(queries, cursors, (query, issued) => {
        expect(tokens.issue(query, issued)).toMatch(/^[\w-]{1,2000}$/);
      }),
    );
  });

  it('is refused under any other query', () => {
    fc.assert(
      fc.property(queries, queries, cursors, (query, other, issued) => {
        fc.pre(query[1] !== other[1]);
        expect(reading(tokens, other, tokens.issue(query, issued))).toEqual(invalid);
      }),
    );
  });

  it('is refused with any character changed, left out or added', () => {
    const token = tokens.issue(query, cursor);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ é\u0000';
    const forgeries = [...token].flatMap((own, i) => {
      const [before, after] = [token.slice(0, i), token.slice(i + 1)];
      const others = [...alphabet].filter((other) => other !== own);
      return ['', ...others].map((other) => before + other + after);
    });
    const longer = [...alphabet].flatMap((more) => [token + more, more + token]);
    const refused = (forged: string): boolean => {
      const outcome = reading(tokens, query, forged);
      return outcome instanceof Problem && outcome.code === 'INVALID_PAGE_TOKEN';
    };
    expect([...forgeries, ...longer].filter((forged) => !refused(forged))).toEqual([]);
  });

  it('is refused when it is any text that was not issued', () => {
    const anyBytes = fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64url'));
    fc.assert(
      fc.property(fc.oneof(fc.string(), anyBytes), (text) => {
        expect(reading(tokens, query, text)).toEqual(invalid);
      }),
    );
  });

  it('is refused under another key', () => {
    fc.assert(
      fc.property(queries, cursors, (query, issued) => {
        const others = new PageTokens([randomBytes(32)]);
        expect(reading(others, query, tokens.issue(query, issued))).toEqual(invalid);
      }),
    );
  });

  it('is still read under an older key, and issued under the current one', () => {
    const newKey = randomBytes(32);
    const rotated = new PageTokens([newKey, key]);
    expect(rotated.read(query, tokens.issue(query, cursor))).toEqual(cursor);
    expect(new PageTokens([newKey]).read(query, rotated.issue(query, cursor))).toEqual(cursor);
    expect(reading(tokens, query, rotated.issue(query, cursor))).toEqual(invalid);
  });

  it('is issued with a page that has another behind it, and leads to the row after its last', () => {
    const rows = ['a', 'b', 'c'];
    const page = tokens.pageOf(query, rows, 2, (last) => [last]);
    expect(page.rows).toEqual(['a', 'b']);
    expect(tokens.read(query, page.nextPageToken ?? '')).toEqual(['b']);
    for (const limit of [3, 4])
      expect(tokens.pageOf(query, rows, limit, (last) => [last])).toEqual({
        ...{ rows, nextPageToken: null },
      });
    expect(tokens.read(query, undefined)).toEqual([]);
  });
});
