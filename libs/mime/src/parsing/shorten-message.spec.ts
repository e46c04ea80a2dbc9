import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { parseMessage } from './parse-message.js';
import { shortenedMessage } from './shorten-message.js';

const line = `${'QUJD'.repeat(19)}\r\n`;
const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000', 'hex');
const head = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nHello\r\n--b\r\n';

function filePart(name: string, file: Buffer): string {
  const body = file.toString('base64').replace(/.{76}/g, '$&\r\n');
  return `Content-Type: image/png; name=${name}\r\nContent-Transfer-Encoding: base64\r\n\r\n${body}\r\n`;
}

describe('shortenedMessage', () => {
  it('leaves a message of common size as it is', () => {
    const raw = Buffer.from(`Subject: x\r\n\r\n${'Hello\r\n'.repeat(10_000)}`);
    expect(shortenedMessage(raw).bytes).toBe(raw);
  });

  it('keeps of a file what tells its type, and its true size', async () => {
    const file = Buffer.concat([png, Buffer.alloc(7_000_001, 7)]);
    const raw = Buffer.from(`${head}${filePart('big.png', file)}--b--\r\n`);
    expect(shortenedMessage(raw).bytes.length).toBeLessThan(200_000);
    const { text, attachments } = await parseMessage(raw);
    expect(text).toBe('Hello\n');
    expect(attachments).toMatchObject([
      { filename: 'big.png', mimeType: 'image/png', size: file.length },
    ]);
  });

  it('tells the true size of a forwarded message whose files were cut', async () => {
    const file = Buffer.concat([png, Buffer.alloc(1_000_000, 7)]);
    const inner = `Content-Type: multipart/mixed; boundary=c\r\n\r\n${['1', '2']
      .map((name) => `--c\r\n${filePart(name, file)}`)
      .join('')}--c--\r\n`;
    const raw = Buffer.from(`${head}Content-Type: message/rfc822\r\n\r\n${inner}--b--\r\n`);
    const [forwarded] = (await parseMessage(raw)).attachments;
    const difference = Math.abs((forwarded?.size ?? 0) - inner.length) / inner.length;
    expect(difference).toBeLessThan(0.03);
  });

  it('lists hundreds of files, each with its size', async () => {
    const file = Buffer.concat([png, Buffer.alloc(100_000, 7)]);
    const raw = Buffer.from(
      `${head}${Array.from({ length: 400 }, (_, index) => filePart(`${index}`, file)).join('--b\r\n')}--b--`,
    );
    const { attachments } = await parseMessage(raw);
    expect(attachments).toHaveLength(400);
    expect(new Set(attachments.map(({ mimeType, size }) => `${mimeType} ${size}`))).toEqual(
      new Set([`image/png ${file.length}`]),
    );
  });

  it('does not let a sender claim the size of another part', async () => {
    const claim = 'Content-Description: 0-0.\r\n';
    const file = Buffer.concat([png, Buffer.alloc(1_000_000, 7)]);
    const raw = Buffer.from(
      `${head}${claim}${filePart('a', file)}--b\r\n${claim}${filePart('b', png)}--b--`,
    );
    const { attachments } = await parseMessage(raw);
    expect(attachments.map(({ size }) => size)).toEqual([file.length, png.length]);
  });

  it.each([
    ['a head is too long', 'X: y\n'.repeat(50_000)],
    ['too many bytes', 'a'.repeat(20 * 1024 * 1024)],
    ['too many bytes', `--b\n\n${'a'.repeat(2_000_000)}\n`.repeat(10)],
    ['too many lines', `--b\n\n${'a\n'.repeat(20_000)}\n`.repeat(10)],
    ['too many part delimiters', '--b\n'.repeat(6_000)],
    ['too many part delimiters', `Content-Transfer-Encoding: base64\n\n${line}--b\n`.repeat(6_000)],
  ])('refuses %s', (reason, raw) => {
    expect(() => shortenedMessage(Buffer.from(raw))).toThrow(reason);
  });
});
