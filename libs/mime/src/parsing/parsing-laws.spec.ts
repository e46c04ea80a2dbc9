import { Buffer } from 'node:buffer';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { repetitions } from '@postroom/testing/repetitions';
import { contentFingerprint } from './content-fingerprint.js';
import { fallbackMessage } from './fallback-message.js';
import { limits } from './limits.js';
import { parseMessage } from './parse-message.js';
import type { ParsedMessage } from './parsed-message.js';

const corpus = new URL('../../../../../shared/corpus/mail/', import.meta.url);
const ownSeeds = [
  'Subject: =?utf-8?b?8J+YgA==?=\r\nFrom: "a" <a@b.c>\r\nReferences: <a@b> <c@d>\r\n\r\nHello\r\n',
  'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html; charset=utf-16\r\n\r\n<p style="color:red">x</p>\r\n--b\r\nContent-Type: image/png; name*0*=utf-8\'\'%F0%9F;\r\n name*1*=%98%80.png\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n--b--\r\n',
].map((text) => Buffer.from(text));
const seeds = existsSync(corpus)
  ? readdirSync(corpus)
      .filter((name) => name.endsWith('.eml'))
      .map((name) => readFileSync(new URL(name, corpus)))
  : [];

/** Bytes that mean something in a message, and some that never should. */
const token = fc.constantFrom(
  ...['\r\n', '\n\n', '--b\r\n', '\0', '\ud83d', '=?utf-8?b?', '?=', '<', '>', '"', '(', ';', ':'],
  ...['Content-Type: text/html\r\n', 'Subject: ', '\xed\xa0\x80', '\xff\xfe', '=ED=A0=80', '&#0;'],
  ...['&#xD800;', '<img src=cid:', '<script>', 'charset=utf-16', 'base64', 'From: '],
);
const edit = fc.record({
  at: fc.nat(),
  removed: fc.nat({ max: 200 }),
  added: fc.oneof(
    token.map((text) => Buffer.from(text, 'latin1')),
    fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
  ),
});
const mutated = fc
  .tuple(fc.constantFrom(...ownSeeds, ...seeds), fc.array(edit, { minLength: 1, maxLength: 12 }))
  .map(([seed, edits]) =>
    edits.reduce((raw, { at, removed, added }) => {
      const start = at % (raw.length + 1);
      return Buffer.concat([raw.subarray(0, start), added, raw.subarray(start + removed)]);
    }, seed),
  );
const anyRaw = fc.oneof(
  fc.uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes)),
  fc.array(token, { maxLength: 200 }).map((tokens) => Buffer.from(tokens.join(''), 'latin1')),
  mutated,
);

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(stringsOf);
}

const characters = (text: string | null) => Array.from(text ?? '').length;

function expectLawful(message: ParsedMessage): void {
  for (const text of stringsOf(message)) expect(text).not.toMatch(/\0|\p{Surrogate}/u);
  expect(structuredClone(message)).toEqual(message);
  expect(characters(message.subject)).toBeLessThanOrEqual(limits.subjectCharactersMax);
  expect(characters(message.preview)).toBeLessThanOrEqual(limits.previewCharactersMax);
  expect(message.subject + message.preview).not.toMatch(/\p{Cc}/u);
  expect(characters(message.text)).toBeLessThanOrEqual(limits.textUnitsMax);
  expect(characters(message.html)).toBeLessThanOrEqual(limits.htmlUnitsMax);
  expectLawfulAddresses(message);
  const { messageId, inReplyTo, references, sentAt, attachments } = message;
  for (const id of [messageId, inReplyTo, ...references].filter((id) => id !== null)) {
    expect(Buffer.byteLength(id)).toBeLessThanOrEqual(limits.identifierBytesMax);
    expect(id).toMatch(/^[^<>\s]+$/);
  }
  expect(references.length).toBeLessThanOrEqual(limits.referencesMax);
  expect(String(sentAt)).toMatch(/^(?:null|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/);
  for (const { filename, mimeType, size } of attachments) {
    expect(String(filename)).toMatch(/^[^/\\\p{Cc}]+$/u);
    expect(mimeType).toMatch(/^[\w.+-]+\/[\w.+-]+$/);
    expect(Number.isSafeInteger(size)).toBe(true);
  }
}

function expectLawfulAddresses({ from, to, cc, bcc, replyTo }: ParsedMessage): void {
  for (const list of [to, cc, bcc, replyTo]) {
    expect(list.length).toBeLessThanOrEqual(limits.addressesMax);
  }
  for (const { email, name } of [...(from ? [from] : []), ...to, ...cc, ...bcc, ...replyTo]) {
    expect(email ?? (name ? 'named' : '')).toMatch(/^[^\s\p{Cc}]{1,640}$/u);
    expect(characters(name)).toBeLessThanOrEqual(limits.nameCharactersMax);
  }
}

describe('parsing', () => {
  it('gives any bytes a bounded answer that can be stored', async () => {
    await fc.assert(
      fc.asyncProperty(anyRaw, async (raw) => {
        expectLawful(await parseMessage(raw));
      }),
      { numRuns: repetitions(1_500) },
    );
  });

  it('gives any bytes a fallback that can be stored', () => {
    fc.assert(
      fc.property(anyRaw, (raw) => {
        const message = fallbackMessage(raw);
        expectLawful(message);
        expect(message.parsed).toBe(false);
      }),
      { numRuns: repetitions(500) },
    );
  });

  it('gives any bytes a fingerprint that line endings do not change', () => {
    fc.assert(
      fc.property(anyRaw, (raw) => {
        const lines = raw.toString('latin1').replaceAll('\r', '');
        const lineFeeds = Buffer.from(lines, 'latin1');
        const both = Buffer.from(lines.replaceAll('\n', '\r\n'), 'latin1');
        expect(contentFingerprint(both)).toBe(contentFingerprint(lineFeeds));
        expect(contentFingerprint(raw)).toMatch(/^[0-9a-f]{64}$/);
      }),
    );
  });

  it('shows the same sender and threading in the fallback as in the parsed message', async () => {
    for (const raw of [...ownSeeds, ...seeds]) {
      const fallback = fallbackMessage(raw);
      const parsed = await parseMessage(raw);
      expect(fallback).toMatchObject({
        from: parsed.from,
        messageId: parsed.messageId,
        inReplyTo: parsed.inReplyTo,
        sentAt: parsed.sentAt,
      });
      // A report names the message that it returns, which is not in its head.
      const named = fallback.isBounce ? fallback.references.length : undefined;
      expect(parsed.references.slice(0, named)).toEqual(fallback.references);
    }
  });
});
