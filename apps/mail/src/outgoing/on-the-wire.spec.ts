import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OutboundGuard } from '@postroom/outbound';
import { ScriptedSmtp } from '@postroom/testing';
import { endOf, withDots } from './on-the-wire.js';
import { SmtpConnections, smtpServerOf } from './smtp-connections.js';
import { transmit } from './transmission.js';

const piecesOf = (raw: Buffer, size: number): string => {
  let wire = '';
  for (let at = 0; at < raw.length; at += size) {
    wire += withDots(raw, at, Math.min(at + size, raw.length)).toString('latin1');
  }
  return wire;
};

const texts = ['a\r\n.\r\nb\r\n', '.', '..a\r\n..\r\n.b', 'a.b\r\n', '\r\n.\r\n.\r\n', 'no end'];

describe('a message on the wire', () => {
  it.each(texts)('has each dot that begins a line doubled, wherever a piece ends (%j)', (text) => {
    const raw = Buffer.from(text);
    const expected = text.replaceAll(/^\./gm, '..');
    for (let size = 1; size <= raw.length; size++) expect(piecesOf(raw, size)).toBe(expected);
  });

  it('has its final dot on a line of its own', () => {
    expect(endOf(Buffer.from('a\r\n'))).toBe('.\r\n');
    expect(endOf(Buffer.from('a'))).toBe('\r\n.\r\n');
  });
});

describe('a message that nodemailer carries', () => {
  let server: ScriptedSmtp;
  let connections: SmtpConnections;

  beforeAll(async () => {
    server = await ScriptedSmtp.listen();
    connections = new SmtpConnections(1, null, new OutboundGuard({ allowed: [] }));
  });

  afterAll(async () => {
    connections.close();
    await server.close();
  });

  const arrived = async (body: string): Promise<string | undefined> => {
    server.reset();
    const raw = Buffer.from(`Message-ID: <a@b.example>\r\n\r\n${body}`);
    await connections.withConnection(
      smtpServerOf(server.url),
      { workspace: 'tnt_1', untilMs: Date.now() + 30_000 },
      async (connection) => {
        const times = {
          handOverMs: 30_000,
          answerMs: 30_000,
          signal: new AbortController().signal,
        };
        const envelope = { from: 'a@b.example', to: ['c@d.example'] };
        const { kind } = await transmit(connection, envelope, raw, times);
        return { value: undefined, then: kind === 'accepted' ? 'keep' : 'close' };
      },
    );
    return server.delivered[0]?.raw.toString().split('\r\n\r\n').slice(1).join('\r\n\r\n');
  };

  it.each([
    ['lines that begin with dots', '.\r\n..\r\n...a\r\n\r\n.\r\nQUIT\r\n'],
    ['many pieces', '.line that is long\r\n'.repeat(20_000)],
    ['nothing', ''],
  ])('arrives with the bytes it had (%s)', async (_what, body) => {
    expect(await arrived(body)).toBe(body);
  });

  it('has an end of its last line when it had none', async () => {
    expect(await arrived('a')).toBe('a\r\n');
  });
});
