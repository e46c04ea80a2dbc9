import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newId, Problem } from '@postroom/contracts';
import fc from 'fast-check';
import { PageTokens, type Cursor } from './page-token.js';

const key = randomBytes(32);
const tokens = new PageTokens([key]);
const invalid = expect.objectContaining({ code: 'INVALID_PAGE_TOKEN', status: 400 });

const ids = fc.ulid().map((ulid) => `cnv_${ulid}`);
const times = fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 });
const cursors: fc.Arbitrary<Cursor> = fc.record({
  asOf: fc.stringMatching(/^[\d:,]{0,40}$/),
  beganAtMs: times,
  after: fc.record({ atMs: times, id: ids }),
});
const queries = fc.string({ unit: 'binary', maxLength: 40 }).filter((text) => text.isWellFormed());

const cursor: Cursor = {
  asOf: '1000:1003:1001',
  beganAtMs: 1_790_000_000_500,
  after: { atMs: 1_789_999_999_999, id: newId('cnv') },
};

/** What came of reading: the cursor, or what was thrown. */
function reading(of: PageTokens, query: string, token: string): unknown {
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
        fc.pre(query !== other);
        expect(reading(tokens, other, tokens.issue(query, issued))).toEqual(invalid);
      }),
    );
  });

  it('is refused with any character changed, left out or added', () => {
    const token = tokens.issue('q', cursor);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ é\u0000';
    const forgeries = [...token].flatMap((own, i) => {
      const [before, after] = [token.slice(0, i), token.slice(i + 1)];
      const others = [...alphabet].filter((other) => other !== own);
      return ['', ...others].map((other) => before + other + after);
    });
    const longer = [...alphabet].flatMap((more) => [token + more, more + token]);
    const refused = (forged: string): boolean => {
      const outcome = reading(tokens, 'q', forged);
      return outcome instanceof Problem && outcome.code === 'INVALID_PAGE_TOKEN';
    };
    expect([...forgeries, ...longer].filter((forged) => !refused(forged))).toEqual([]);
  });

  it('is refused when it is any text that was not issued', () => {
    const anyBytes = fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64url'));
    fc.assert(
      fc.property(fc.oneof(fc.string(), anyBytes), (text) => {
        expect(reading(tokens, 'q', text)).toEqual(invalid);
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
    expect(rotated.read('q', tokens.issue('q', cursor))).toEqual(cursor);
    expect(new PageTokens([newKey]).read('q', rotated.issue('q', cursor))).toEqual(cursor);
    expect(reading(tokens, 'q', rotated.issue('q', cursor))).toEqual(invalid);
  });
});
