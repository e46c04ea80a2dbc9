import { isUtf8 } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { isCanonicalBase64 } from '@postroom/contracts';
import fc from 'fast-check';
import { repetitions } from '@postroom/testing/repetitions';
import { Base64Decoder } from './base64-decoder.js';
import type { Path } from './json-path-matcher.js';
import { JsonScanner, placeholderOf, type StringSink } from './json-scanner.js';

const paths = [
  ['files', '*', 'content'],
  ['draft', 'files', '*', 'content'],
];

/** Keeps the texts, as far as they are canonical base64. */
class Kept implements StringSink {
  readonly texts = new Map<string, string>();
  private decoder = new Base64Decoder();
  private bytes: Buffer[] = [];
  private number = -1;

  begin(): number {
    this.decoder = new Base64Decoder();
    this.bytes = [];
    return ++this.number;
  }
  add(source: Buffer, from: number, to: number): number {
    const target = Buffer.alloc(to - from + 6);
    const { read, written } = this.decoder.decode(source, from, to, target, 0);
    this.bytes.push(target.subarray(0, written));
    return from + read;
  }
  end(): void {
    if (!this.decoder.isWhole) return;
    this.texts.set(placeholderOf(this.number), Buffer.concat(this.bytes).toString('base64'));
  }
  abandon(): void {
    this.bytes = [];
  }
}

/** The rest of a text that came in these pieces, and what was cut out of it. */
function scanned(pieces: readonly Buffer[]) {
  const kept = new Kept();
  const scanner = new JsonScanner(paths, kept);
  for (const piece of pieces) scanner.push(piece);
  const rest = scanner.end();
  expect(scanner.length).toBe(rest.length);
  return { rest, texts: kept.texts };
}

/** What bytes mean as JSON; undefined for what is none. */
function meaningOf(bytes: Buffer): { readonly value: unknown } | undefined {
  if (!isUtf8(bytes)) return undefined;
  try {
    return { value: JSON.parse(bytes.toString()) };
  } catch {
    return undefined;
  }
}

/** The value with another text in each of the places. */
function mapped(value: unknown, path: Path, change: (text: string) => string): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return typeof value === 'string' ? change(value) : value;
  if (first === '*') {
    if (!Array.isArray(value)) return value;
    return (value as unknown[]).map((item) => mapped(item, rest, change));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value).map(([name, inner]) => [
    name,
    name === first ? mapped(inner, rest, change) : (inner as unknown),
  ]);
  return Object.fromEntries(members) as unknown;
}

const everywhere = (value: unknown, change: (text: string) => string): unknown =>
  paths.reduce((sum, path) => mapped(sum, path, change), value);

const notBase64 = 'not base64';

/** Holds what the scanner makes of a text against what JSON.parse makes of it. */
function expectSameAsParse(text: Buffer, pieces: readonly Buffer[]): void {
  const { rest, texts } = scanned(pieces);
  const whole = meaningOf(text);
  const found = meaningOf(rest);
  expect(found === undefined).toBe(whole === undefined);
  if (!whole || !found) return;
  const expected = everywhere(whole.value, (one) => (isCanonicalBase64(one) ? one : notBase64));
  const actual = everywhere(found.value, (one) => {
    const known = texts.get(one);
    if (known === undefined) expect(isCanonicalBase64(one)).toBe(false);
    return known ?? notBase64;
  });
  expect(actual).toEqual(expected);
}

/** A JSON text: with names given twice, spaces, and characters escaped that need not be. */
const character = (one: string): fc.Arbitrary<string> => {
  const code = one.charCodeAt(0).toString(16).padStart(4, '0');
  const long = fc.constantFrom(`\\u${code}`, `\\u${code.toUpperCase()}`);
  const raw =
    /^["\\]$|\p{Cc}/u.test(one) || one.length > 1 ? JSON.stringify(one).slice(1, -1) : one;
  const escapes = one === '/' ? [fc.constant('\\/')] : [];
  return one.length > 1
    ? fc.constant(raw)
    : fc.oneof({ weight: 8, arbitrary: fc.constant(raw) }, long, ...escapes);
};
const written = (text: string): fc.Arbitrary<string> =>
  fc.tuple(...Array.from(text, character)).map((parts) => `"${parts.join('')}"`);

const names = fc
  .constantFrom('files', 'draft', 'content', '*', 'name', 'fileſ', '', '__proto__', 'x'.repeat(700))
  .chain(written);
const texts = fc
  .oneof(
    fc.base64String({ maxLength: 40 }),
    fc.string({ maxLength: 8 }),
    fc.constantFrom('SGk=', 'SGl=', 'SGk', '!0!', '====', 'QQ==QQ==', 'a"b', 'a\\', '\n', '🙂', ''),
    fc.base64String({ maxLength: 40 }),
    // Longer than what is handed over at once.
    fc.constantFrom('YWJj'.repeat(13_000), `${'YWJj'.repeat(13_000)}!`),
  )
  .chain((text) => (text.length > 100 ? fc.constant(JSON.stringify(text)) : written(text)));
const blank = fc.oneof(
  { weight: 40, arbitrary: fc.constantFrom('', '', '', ' ', '\n\t') },
  // More than is kept.
  { weight: 1, arbitrary: fc.constant('\t \r\n'.repeat(400)) },
);
const spaced = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(blank, text, blank).map((parts) => parts.join(''));

const { json } = fc.letrec<{ json: string; list: string; object: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 6, depthSize: 'medium' },
    texts,
    fc.constantFrom('0', '-1.5e3', 'true', 'null', '[]', '{}'),
    tie('list'),
    tie('object'),
    tie('object'),
  ),
  list: fc.array(spaced(tie('json')), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
  object: fc
    .array(fc.tuple(spaced(names), spaced(tie('json'))), { maxLength: 4 })
    .map((members) => `{${members.map(([name, value]) => `${name}:${value}`).join(',')}}`),
}));

/** One that has the places, mostly. */
const message = fc
  .tuple(json, fc.array(fc.tuple(texts, json), { maxLength: 3 }), json)
  .map(([before, files, after]) => {
    const list = files.map(([content, other]) => `{"name":${other},"content":${content}}`);
    return `{"a":${before},"files":[${list.join(',')}],"draft":{"files":[${list.join(',')}]},"b":${after}}`;
  });
const anyText = fc.oneof(json, message, message);

/** Cut into pieces, some of a single byte. */
const cut = (bytes: Buffer, sizes: readonly number[]): Buffer[] => {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const size of sizes) {
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return [...pieces, bytes.subarray(at)];
};
const sizes = fc.array(fc.oneof(fc.constant(1), fc.nat(20), fc.nat(70_000)), { maxLength: 40 });

describe('JsonScanner', () => {
  it('leaves what JSON.parse would find, and the texts of the places, wherever chunks end', () => {
    fc.assert(
      fc.property(anyText, sizes, (text, lengths) => {
        const bytes = Buffer.from(text);
        expectSameAsParse(bytes, cut(bytes, lengths));
      }),
      { numRuns: repetitions(500) },
    );
  });

  it('leaves no JSON of what is none, and no less than one of what is', () => {
    const spoiling = fc.constantFrom(
      ...['"', '\\', '\\u', '\\u00', '{', '}', '[', ']', ',', ':', '\n', '\u0000', '\u001f', 'x'],
      ...['\u007f', '\\n', '\\"', '\\x', '\\u0041', '\\u002', '=', '!', 'é'],
    );
    const spoilt = fc
      .tuple(
        anyText,
        fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), spoiling, fc.nat(3)), {
          maxLength: 3,
        }),
      )
      .map(([text, spots]) =>
        spots.reduce((sum, [place, by, gone]) => {
          const at = Math.floor(place * sum.length);
          return sum.slice(0, at) + by + sum.slice(at + gone);
        }, text),
      );
    fc.assert(
      fc.property(spoilt, sizes, (text, lengths) => {
        const bytes = Buffer.from(text);
        expectSameAsParse(bytes, cut(bytes, lengths));
      }),
      { numRuns: repetitions(1_000) },
    );
  });

  it('leaves broken bytes broken', () => {
    const byte = fc.constantFrom(0xc3, 0xa9, 0x80, 0xff, 0xe2, 0x82, 0xac, 0x41, 0x00, 0x5c, 0x22);
    const inside = fc.array(byte, { maxLength: 8 }).map((list) => Buffer.from(list));
    fc.assert(
      fc.property(inside, inside, sizes, (one, other, lengths) => {
        const bytes = Buffer.concat([
          Buffer.from('{"files":[{"content":"AAAA'),
          one,
          Buffer.from('BB'),
          other,
          Buffer.from('","content":"AAAA"}]}'),
        ]);
        expectSameAsParse(bytes, cut(bytes, lengths));
      }),
      { numRuns: repetitions(4_000) },
    );
  });

  it('keeps little, however much is cut out or is no base64', () => {
    const long = 'YWJj'.repeat(500_000);
    for (const content of [long, `${long}!${long}`, `!${long}`, `${long}=`, `=${long}`]) {
      const text = Buffer.from(`{"files":[{"content":"${content}"}]}`);
      const { rest, texts } = scanned([text]);
      expect(rest.length).toBeLessThan(60);
      expect([...texts.values()]).toEqual(content === long ? [long] : []);
    }
  });

  it('keeps few of the blanks that a text is filled up with', () => {
    const blanks = Buffer.from(' \r\n\t'.repeat(50_000));
    const pieces = ['{"a"', blanks, ':1', blanks, blanks, ',"b":"  "', blanks, '}'];
    const { rest } = scanned(pieces.map((piece) => Buffer.from(piece)));
    expect(rest.toString()).toBe('{"a" :1  ,"b":"  " }');
  });

  it('remembers nothing of what is nested elsewhere', () => {
    const deep = Buffer.from(
      `{"draft":${'['.repeat(200_000)}${']'.repeat(200_000)},"files":[{"content":"SGk="}]}`,
    );
    const { texts } = scanned([deep]);
    expect([...texts.values()]).toEqual(['SGk=']);
  });

  it.each(['', ' ', '"', '"x', '{', 'null', '\ufeff{"files":[{"content":"SGk="}]}'])(
    'takes %j for what it is',
    (text) => {
      const bytes = Buffer.from(text);
      expectSameAsParse(bytes, [bytes]);
    },
  );
});

describe('Base64Decoder', () => {
  /** What a text decodes to, a piece and a target at a time; null for what is not canonical. */
  function decoded(text: string, lengths: readonly number[], room: number): Buffer | null {
    const decoder = new Base64Decoder();
    const found: Buffer[] = [];
    for (const piece of cut(Buffer.from(text), lengths)) {
      for (let at = 0; at < piece.length;) {
        const target = Buffer.alloc(room);
        const { read, written } = decoder.decode(piece, at, piece.length, target, 0);
        at += read;
        found.push(target.subarray(0, written));
        if (at < piece.length && written + 3 <= room) return null;
      }
    }
    return decoder.isWhole ? Buffer.concat(found) : null;
  }

  it('takes exactly what is canonical, in pieces of any length, into room of any size', () => {
    const text = fc.oneof(
      fc.base64String(),
      fc.stringMatching(/^[A-Za-z0-9+/]{0,9}[A-Za-z0-9+/=]{0,4}$/),
      fc.string({ maxLength: 6 }),
    );
    const lengths = fc.array(fc.nat(5), { maxLength: 20 });
    fc.assert(
      fc.property(text, lengths, fc.integer({ min: 3, max: 20 }), (base64, pieces, room) => {
        const bytes = decoded(base64, pieces, room);
        expect(bytes !== null).toBe(isCanonicalBase64(base64));
        if (bytes) expect(bytes.toString('base64')).toBe(base64);
      }),
      { numRuns: repetitions(10_000) },
    );
  });
});
