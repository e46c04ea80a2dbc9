import { describe, expect, it } from '@jest/globals';
import { composeMessage, hasLoneBreak } from './compose-message.js';
import type { Composition } from './composition.js';

describe('hasLoneBreak', () => {
  it.each([
    ['a\r\nb\r\n', false],
    ['', false],
    ['a\nb', true],
    ['\n', true],
    ['a\rb', true],
    ['a\r\n\n', true],
    ['a\r', true],
    ['a\r\r\n', true],
  ])('%j has a lone line break: %p', (text, has) => {
    expect(hasLoneBreak(Buffer.from(text))).toBe(has);
  });
});

const noStore = {
  pieces: (): never => {
    throw new Error('nothing');
  },
};

const composed = async (given: Partial<Composition>): Promise<string> => {
  const composition: Composition = {
    from: { email: 'box@acme.test', name: null },
    to: [{ email: 'camille@correspondent.example', name: null }],
    cc: [],
    subject: 'Hello',
    body: 'Hello\n',
    signature: null,
    messageId: 'pr.a@acme.test',
    inReplyTo: null,
    references: [],
    priority: null,
    dateMs: 0,
    files: [],
    dkim: null,
    ...given,
  };
  const { raw } = await composeMessage(composition, noStore);
  return Buffer.from(raw).toString('latin1');
};

const attached = (content: string, declaredType: string): Promise<string> => {
  const bytes = Buffer.from(content);
  return composed({ files: [{ filename: 'a.eml', declaredType, content: bytes }] });
};

describe('a message that leaves', () => {
  it('refers to no Message-ID that seven bits cannot carry', async () => {
    const raw = await composed({ inReplyTo: 'é@x', references: ['a@x', 'é@x', 'b c@x', 'd@x'] });
    expect(raw).toMatch(/^References: <a@x> <d@x>\r$/m);
    expect(raw).not.toMatch(/^In-Reply-To/im);
    const answered = await composed({ inReplyTo: 'a@x', references: ['a@x'] });
    expect(answered).toMatch(/^In-Reply-To: <a@x>\r$/m);
    expect(await composed({})).not.toMatch(/^(In-Reply-To|References)/im);
  });

  it.each([
    ['text', 'a\r\nb\nc\rd\r\n\r\n\n\ne'],
    ['HTML', '<p>a\r\nb\nc\rd\r\n\r\n\n\ne</p>'],
    ['text that has to be encoded', 'é\rè\r\nê'],
  ])('has no line end but CRLF, whatever its body had (%s)', async (_what, body) => {
    const raw = await composed({ body });
    expect(raw).not.toMatch(/\r(?!\n)|(?<!\r)\n/);
    expect(raw).not.toMatch(/=0D(?!=0A)/);
  });

  it('shows a subject that looks like an encoded word as it was given', async () => {
    const raw = await composed({ subject: '=?utf-8?Q?=C3=A9?= is no letter' });
    expect(raw).toContain('Subject: =?UTF-8?Q?=3D=3Futf-8=3FQ=3F=3DC3=3DA9=3F');
  });

  it('has no line of a subject that is too long for a relay', async () => {
    const lines = (await composed({ subject: 'x'.repeat(998) })).split('\r\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(78);
  });

  it('has a message as a file as such where it could be sent itself', async () => {
    const raw = await attached('Subject: x\r\n\r\nbody\r\n', 'message/rfc822');
    expect(raw).toMatch(/Content-Type: message\/rfc822/);
    expect(raw).toContain('\r\n\r\nSubject: x\r\n\r\nbody\r\n');
  });

  it.each([
    ['line feeds alone', 'Subject: x\n\nbody\n', 'message/rfc822'],
    ['no last line end', 'Subject: x\r\n\r\nbody', 'message/rfc822'],
    ['a line too long', `Subject: x\r\n\r\n${'y'.repeat(999)}\r\n`, 'message/rfc822'],
    ['eight-bit text', 'Subject: é\r\n\r\nbody\r\n', 'message/rfc822'],
    ['a part of a message', 'Subject: x\r\n\r\nbody\r\n', 'message/partial'],
    ['a report', 'Status: 5.0.0\r\n\r\n', 'message/delivery-status'],
  ])('has it as bytes where it would change (%s)', async (_what, content, declared) => {
    const raw = await attached(content, declared);
    expect(raw).not.toMatch(/Content-Type: message/);
    const encoded = Buffer.from(content).toString('base64');
    expect(raw.replaceAll('\r\n', '')).toContain(encoded);
  });
});
