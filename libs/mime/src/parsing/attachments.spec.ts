import { describe, expect, it } from '@jest/globals';
import { parseMessage } from './parse-message.js';
import { cleanFilename } from './attachments.js';

const calendar = (method = 'REQUEST', more = ''): string =>
  `BEGIN:VCALENDAR\r\nMETHOD:${method}\r\nBEGIN:VEVENT\r\nSUMMARY:Réunion${more}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;

const message = (...parts: readonly string[]): Buffer =>
  Buffer.from(
    [
      'From: a@x.test\r\nMIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=b\r\n',
      'Content-Type: text/plain\r\n\r\nPlease come.',
      ...parts,
    ].join('\r\n--b\r\n') + '\r\n--b--\r\n',
  );
const part = (body: string, type = 'text/calendar; charset=utf-8; method=REQUEST'): string =>
  `Content-Type: ${type}\r\n\r\n${body}`;
const calendarIn = async (...parts: readonly string[]): Promise<string | undefined> =>
  (await parseMessage(message(...parts))).calendar;

describe('the calendar part of a message', () => {
  const text = calendar().replaceAll('\r\n', '\n');

  it('is found beside its text, and as a file', async () => {
    expect(await calendarIn(part(calendar()))).toBe(text);
    const file = 'application/ics; name="invite.ics"\r\nContent-Disposition: attachment';
    expect(await calendarIn(part('x', 'image/png'), part(calendar(), file))).toBe(text);
  });

  it('is decoded from base64 and from another charset', async () => {
    const encoded = Buffer.from(calendar()).toString('base64');
    const type = 'text/calendar\r\nContent-Transfer-Encoding: base64';
    expect(await calendarIn(part(encoded, type))).toBe(text);
    const quoted = calendar().replace('é', '=E9');
    const latin =
      'text/calendar; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable';
    expect(await calendarIn(part(quoted, latin))).toBe(text);
  });

  it('is one that asks for something or answers, the first of them', async () => {
    expect(await calendarIn(part(calendar('PUBLISH')))).toBeUndefined();
    expect(await calendarIn(part('METHOD:REQUEST', 'text/plain; name=a.txt'))).toBeUndefined();
    expect(await calendarIn(part(calendar('PUBLISH')), part(calendar('REPLY')))).toContain('REPLY');
  });

  it('has no control characters', async () => {
    expect(await calendarIn(part(calendar('REQUEST', '\u0001\u001b\u0085!')))).toBe(
      text.replace('Réunion', 'Réunion!'),
    );
  });

  it('is left out when it is too large', async () => {
    const long = `\r\nDESCRIPTION:${`${'x'.repeat(70)}\r\n `.repeat(3_000)}`;
    expect(await calendarIn(part(calendar('REQUEST', long)))).toBeUndefined();
  });
});

describe('cleanFilename', () => {
  it.each([
    ['report.pdf', 'report.pdf'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\me\\a.txt', 'a.txt'],
    ['a\0b\r\nc.txt', 'a\ufffdb c.txt'],
    ['invoice\u202efdp.exe', 'invoicefdp.exe'],
    ['日本語.txt', '日本語.txt'],
    ['..', null],
    ['dir/', null],
    ['', null],
  ])('makes of %j %j', (name, clean) => {
    expect(cleanFilename(name)).toBe(clean);
  });

  it('keeps at most 255 code points', () => {
    expect(Array.from(cleanFilename('😀'.repeat(2000)) ?? '')).toHaveLength(255);
  });
});
