import { describe, expect, it } from '@jest/globals';
import { isCanonicalBase64, StoredContent } from '@postroom/contracts';
import type { BlobStore } from '@postroom/persistence/blobs/blob-store';
import { repetitions } from '@postroom/testing/repetitions';
import fc from 'fast-check';
import { JsonBody, type Path } from './json-body.js';
import { PartUpload } from './part-upload.js';
import { parseBody } from './read-body.js';

const paths = [
  ['files', '*', 'content'],
  ['draft', 'files', '*', 'content'],
];

/** Keeps blobs in memory. */
class KeptBlobs {
  readonly blobs = new Map<string, Buffer[]>();

  createWriter() {
    const reference = String(this.blobs.size);
    const pieces: Buffer[] = [];
    this.blobs.set(reference, pieces);
    return {
      reference,
      append: (bytes: Uint8Array) => {
        pieces.push(Buffer.from(bytes));
        return Promise.resolve();
      },
      finish: () => Promise.resolve(),
    };
  }

  textOf({ reference }: StoredContent): string {
    return Buffer.concat(this.blobs.get(reference) ?? []).toString('base64');
  }
}

type Meaning = { readonly value: unknown } | { readonly fault: unknown };

const faultOf = (error: unknown): Meaning => ({
  fault: (error as { readonly violations: unknown }).violations,
});

/** The parsed value of a body that comes in these pieces, with the texts that were cut out back in place. */
async function read(pieces: readonly Buffer[]): Promise<Meaning & { characters: number }> {
  const blobs = new KeptBlobs();
  const limits = { countMax: 100, charactersMax: 10_000_000 };
  const upload = new PartUpload(blobs as unknown as BlobStore, 'ten_a', limits);
  const body = new JsonBody(paths, upload);
  for (const piece of pieces) {
    body.push(piece);
    await upload.flush();
  }
  const { characters } = body;
  try {
    const value = everywhere(body.end(), (one) =>
      one instanceof StoredContent ? blobs.textOf(one) : one,
    );
    return { value, characters };
  } catch (error) {
    return { ...faultOf(error), characters };
  }
}

/** The value with another one in each of the places. */
function mapped(value: unknown, path: Path, change: (found: unknown) => unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return change(value);
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

const everywhere = (value: unknown, change: (found: unknown) => unknown): unknown =>
  paths.reduce((sum, path) => mapped(sum, path, change), value);

/** A text in a place that is no base64 is one that is none, whichever. */
const notBase64 = '!';
const judged = (found: unknown): unknown =>
  typeof found === 'string' && !isCanonicalBase64(found) ? notBase64 : found;

function parsed(bytes: Buffer): Meaning {
  try {
    return { value: everywhere(parseBody({ headers: {} }, bytes), judged) };
  } catch (error) {
    return faultOf(error);
  }
}

/** Holds what is made of a body against what Fastify's parser makes of it. */
async function expectSameAsFastify(bytes: Buffer, pieces: readonly Buffer[]): Promise<void> {
  const expected = parsed(bytes);
  const { characters: _, ...found } = await read(pieces);
  expect(found).toEqual(expected);
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

describe('a JSON body that is read as it comes', () => {
  it('is what Fastify’s parser finds, and the texts of the places, wherever chunks end', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, sizes, async (text, lengths) => {
        const bytes = Buffer.from(text);
        await expectSameAsFastify(bytes, cut(bytes, lengths));
      }),
      { numRuns: repetitions(500) },
    );
  });

  it('is refused exactly where Fastify’s parser refuses it', async () => {
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
    await fc.assert(
      fc.asyncProperty(spoilt, sizes, async (text, lengths) => {
        const bytes = Buffer.from(text);
        await expectSameAsFastify(bytes, cut(bytes, lengths));
      }),
      { numRuns: repetitions(1_000) },
    );
  });

  it('is refused with broken bytes', async () => {
    const byte = fc.constantFrom(0xc3, 0xa9, 0x80, 0xff, 0xe2, 0x82, 0xac, 0x41, 0x00, 0x5c, 0x22);
    const inside = fc.array(byte, { maxLength: 8 }).map((list) => Buffer.from(list));
    await fc.assert(
      fc.asyncProperty(inside, inside, sizes, async (one, other, lengths) => {
        const bytes = Buffer.concat([
          Buffer.from('{"files":[{"content":"AAAA'),
          one,
          Buffer.from('BB'),
          other,
          Buffer.from('","content":"AAAA"}]}'),
        ]);
        await expectSameAsFastify(bytes, cut(bytes, lengths));
      }),
      { numRuns: repetitions(1_000) },
    );
  });

  it('has in its places exactly what is canonical base64', async () => {
    const text = fc.oneof(
      fc.base64String(),
      fc.stringMatching(/^[A-Za-z0-9+/]{0,9}[A-Za-z0-9+/=]{0,4}$/),
      fc.constantFrom(...['', '=', 'Q', '====']).map((end) => 'YWJj'.repeat(17_000) + end),
    );
    await fc.assert(
      fc.asyncProperty(text, sizes, async (base64, lengths) => {
        const bytes = Buffer.from(JSON.stringify({ files: [{ content: base64 }] }));
        const content = isCanonicalBase64(base64) ? base64 : notBase64;
        expect(await read(cut(bytes, lengths))).toMatchObject({ value: { files: [{ content }] } });
      }),
      { numRuns: repetitions(2_000) },
    );
  });

  it('keeps little, however much is cut out, is no base64 or is blank', async () => {
    const long = 'YWJj'.repeat(500_000);
    for (const content of [long, `${long}!${long}`, `!${long}`, `${long}=`, `=${long}`]) {
      const { characters } = await read([Buffer.from(`{"files":[{"content":"${content}"}]}`)]);
      expect(characters).toBeLessThan(60);
    }
    const blanks = Buffer.from(' \r\n\t'.repeat(50_000));
    const { characters } = await read([Buffer.from('{'), blanks, Buffer.from('"a":1'), blanks]);
    expect(characters).toBeLessThan(60);
  });

  it.each([
    ...['', ' ', '"', '"x', '{', 'null', '[1', '1', '-', '{"a":1}x'],
    ...['\ufeff{"files":[{"content":"SGk="}]}', '{"__proto__":1}', '{"a":{"__proto__":{}}}'],
    ...['{"constructor":{"prototype":1}}', '{"constructor":1}', '{"constructor":{"a":1}}'],
    ...['{"a":[{"constructor":{"prototype":1}}]}', '{"constructor":[{"prototype":1}]}'],
  ])('takes %j for what Fastify’s parser does', async (text) => {
    const bytes = Buffer.from(text);
    if (bytes.length > 0) await expectSameAsFastify(bytes, [bytes]);
  });

  it('may be nested as deep as it likes', async () => {
    const deep = `{"draft":${'['.repeat(40_000)}${']'.repeat(40_000)},"files":[{"content":"SGk="}]}`;
    expect(await read([Buffer.from(deep)])).toMatchObject({
      value: { files: [{ content: 'SGk=' }] },
    });
  });
});
