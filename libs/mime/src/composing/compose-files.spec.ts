import { describe, expect, it } from '@jest/globals';
import { composeMessage } from './compose-message.js';
import type { ComposedFile, Composition } from './composition.js';

const stored = Buffer.from(Array.from({ length: 700_001 }, (_, i) => (i * i) % 251));
const pieceBytes = 256 * 1024;

/** A store that has one blob, or only so much of it; what is missing is told of, or is not. */
const store = (bytes: Buffer, isWhole = true) => ({
  async *pieces(): AsyncGenerator<Buffer, void> {
    await Promise.resolve();
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
    if (!isWhole) throw new Error('gone');
  },
});

const inStore: ComposedFile = {
  filename: 'plans.bin',
  declaredType: null,
  content: { tenantId: 'ten_a', reference: 'there', size: stored.length },
};

const given = (filename: string, declaredType: string, text: string): ComposedFile => ({
  ...{ filename, declaredType },
  content: Buffer.from(text),
});

const composition = (files: readonly ComposedFile[]): Composition => ({
  from: { email: 'support@shop.example', name: null },
  to: [{ email: 'camille@example.com', name: 'Camille' }],
  cc: [],
  subject: 'Les plans',
  body: '<p>Voilà</p>',
  messageId: 'one@shop.example',
  signature: null,
  inReplyTo: null,
  references: [],
  priority: null,
  dateMs: 0,
  files,
  dkim: null,
});

describe('composeMessage', () => {
  it('writes files of the store, of the request, enclosed messages and empty ones as they are', async () => {
    const enclosed = 'Subject: Avant\r\n\r\nBonjour\r\n';
    const files = [
      inStore,
      given('a.txt', 'text/plain', 'à lire'),
      given('b.eml', 'message/rfc822', enclosed),
      given('c.bin', 'application/x', ''),
    ];
    const { raw, parsed, fileTypes } = await composeMessage(composition(files), store(stored));
    const contents = parsed.attachments.map(({ source }) => {
      const text = Buffer.from(raw.subarray(source?.start, source?.end)).toString();
      return Buffer.from(text, 'base64');
    });
    expect(contents[0]?.equals(stored)).toBe(true);
    expect(contents[1]?.toString()).toBe('à lire');
    expect(parsed.attachments.map(({ filename, size }) => [filename, size])).toEqual([
      ['plans.bin', stored.length],
      ['a.txt', 7],
      ['b.eml', enclosed.length],
      ['c.bin', 0],
    ]);
    expect(fileTypes.slice(0, 3)).toEqual([
      'application/octet-stream',
      'text/plain',
      'message/rfc822',
    ]);
  });

  it.each([
    ['nothing', 0, false],
    ['a piece', pieceBytes, false],
    ['more than a piece', pieceBytes + 1, false],
    ['all but a byte, and does not say so', stored.length - 1, true],
  ])('makes no message of a file of which the store has %s', async (_, length, isWhole) => {
    const composing = composeMessage(
      composition([inStore]),
      store(stored.subarray(0, length), isWhole),
    );
    await expect(composing).rejects.toThrow(isWhole ? '1 are missing' : 'gone');
  });
});
