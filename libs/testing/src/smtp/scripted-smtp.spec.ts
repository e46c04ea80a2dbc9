import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createTransport, type SendMailOptions, type SentMessageInfo } from 'nodemailer';
import type SMTPTransport from 'nodemailer/lib/smtp-transport/index.js';
import {
  always,
  anyOf,
  first,
  type SmtpAct,
  type SmtpScript,
  type SmtpStage,
} from './smtp-script.js';
import { ScriptedSmtp } from './scripted-smtp.js';

const patienceMs = 400;

describe('a scripted SMTP server', () => {
  let server: ScriptedSmtp;
  beforeEach(async () => {
    server = await ScriptedSmtp.listen();
  });
  afterEach(() => server.close());

  const send = (
    mail: SendMailOptions = {},
    options: SMTPTransport.Options = {},
  ): Promise<SentMessageInfo> => {
    const transport = createTransport({
      ...{ host: '127.0.0.1', port: server.port, ignoreTLS: true },
      ...{ greetingTimeout: patienceMs, socketTimeout: patienceMs, ...options },
    });
    const message = { from: 'ada@acme.test', to: 'bob@else.test', subject: 'Hello', text: 'Hello' };
    return transport.sendMail({ ...message, ...mail });
  };
  /** The client's error, with the stage it was in. */
  const failure = async (script: SmtpScript, mail?: SendMailOptions): Promise<Error> => {
    server.script = script;
    const outcome = await send(mail).catch((error: unknown) => error);
    if (Error.isError(outcome)) return outcome;
    throw new Error(`It was sent: ${JSON.stringify(outcome)}`);
  };

  it('takes a message whole, as it was sent, and knows its Message-ID and envelope', async () => {
    const text = '.\r\n..two dots\r\n.one dot\r\n';
    const sent = await send({ to: ['bob@else.test', 'eve@else.test'], cc: 'ada@acme.test', text });
    expect(sent.response).toBe('250 2.0.0 Message taken');
    expect(server.taken).toMatchObject([
      {
        messageId: sent.messageId,
        envelope: {
          from: 'ada@acme.test',
          to: ['bob@else.test', 'eve@else.test', 'ada@acme.test'],
        },
        answer: '250 2.0.0 Message taken',
        connection: 1,
      },
    ]);
    expect(server.taken[0]?.raw.toString()).toContain(`\r\n\r\n${text}`);
    expect(server.moments.map(({ stage }) => stage).slice(0, 10)).toEqual([
      ...['connect', 'ehlo', 'mail', 'rcpt', 'rcpt', 'rcpt', 'data', 'body', 'dot', 'accepted'],
    ]);
  });

  it('takes one of many megabytes', async () => {
    const content = randomBytes(8 * 1024 * 1024);
    await send({ attachments: [{ filename: 'a.bin', content }] }, { socketTimeout: 20_000 });
    expect(server.taken[0]?.raw.length).toBeGreaterThan(content.length);
  });

  it('takes several over one connection, each with its own number', async () => {
    const options = { host: '127.0.0.1', port: server.port, ignoreTLS: true, pool: true as const };
    const pool = createTransport({ ...options, maxConnections: 1 });
    const mail = { from: 'ada@acme.test', to: 'bob@else.test', subject: 'Hello' };
    for (const text of ['one', 'two', '']) await pool.sendMail({ ...mail, text });
    pool.close();
    expect(server.taken.map(({ connection }) => connection)).toEqual([1, 1, 1]);
    const begun = server.moments.filter(({ stage }) => stage === 'mail');
    expect(begun.map(({ message }) => message)).toEqual([1, 2, 3]);
  });

  it('takes any credentials, and tells when they were given', async () => {
    await send({}, { auth: { user: 'ada', pass: 'secret' } });
    expect(server.moments.map(({ stage }) => stage)).toContain('auth');
    server.script = always('auth', { reply: '535 5.7.8 No' });
    const error = await send({}, { auth: { user: 'ada', pass: 'x' } }).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'EAUTH', responseCode: 535 });
  });

  const beforeTheDot: SmtpStage[] = ['connect', 'ehlo', 'mail', 'rcpt', 'data'];

  describe.each<[string, SmtpAct]>([
    ['drops the connection', 'drop'],
    ['resets the connection', 'reset'],
    ['says nothing', 'silence'],
    ['talks garbage', { raw: Buffer.from([0, 255, 13, 10, 7]) }],
    ['answers one line that never ends', { raw: '2'.repeat(300_000) }],
    ['answers too slowly', { afterMs: 3 * patienceMs }],
    ['floods', { flood: '250-again\r\n'.repeat(100) }],
  ])('that %s', (_what, act) => {
    // While a message comes, no answer is due.
    const isAnswer = typeof act === 'object' && !('flood' in act);
    it.each(isAnswer ? beforeTheDot : [...beforeTheDot, 'body' as const])(
      'at %s has taken nothing',
      async (stage) => {
        const error = await failure(always(stage, act));
        expect(Error.isError(error)).toBe(true);
        expect(server.taken).toEqual([]);
      },
    );

    it('at the dot has taken the message, and has answered nothing', async () => {
      const waits = typeof act === 'object' && 'afterMs' in act;
      await failure(always('dot', act));
      expect(server.taken).toHaveLength(1);
      expect(server.delivered).toHaveLength(1);
      if (!waits) expect(server.taken[0]?.answer).toBeNull();
    });
  });

  it.each(['connect', 'ehlo', 'mail', 'rcpt', 'data', 'dot'] as const)(
    'that refuses at %s, for now or for good, has delivered nothing',
    async (stage) => {
      for (const [reply, code] of [
        ['451 4.3.0 Later', 451],
        ['550 5.7.1 Never', 550],
        ['421 4.3.2 Closing', 421],
      ] as const) {
        const act = { reply, ...(code === 421 && { then: 'drop' as const }) };
        // HELO is tried after EHLO, so both are refused.
        const error = await failure(always(stage, act));
        expect(error.message).toContain(stage === 'ehlo' ? '' : String(code));
        expect(server.delivered).toEqual([]);
      }
    },
  );

  it('that closes in the middle of a message has taken nothing', async () => {
    const text = 'x'.repeat(200_000);
    for (const then of ['drop', 'reset'] as const) {
      await failure(always('body', { afterBytes: 50_000, then }), { text });
      expect(server.taken).toEqual([]);
    }
    server.script = always('body', { afterBytes: 50_000, then: 'drop' });
    await send({ text: 'short' });
    expect(server.taken).toHaveLength(1);
  });

  it('that closes right after its answer has delivered the message', async () => {
    server.script = always('accepted', 'drop');
    await send();
    expect(server.delivered).toHaveLength(1);
  });

  it('accepts some recipients only', async () => {
    server.script = always('rcpt', { reply: '550 5.1.1 Unknown' }, 'eve@else.test');
    const sent = await send({ to: ['bob@else.test', 'eve@else.test'] });
    expect(sent).toMatchObject({ accepted: ['bob@else.test'], rejected: ['eve@else.test'] });
    expect(server.taken[0]?.envelope.to).toEqual(['bob@else.test']);
  });

  it('answers slowly and is waited for', async () => {
    server.script = always('dot', { afterMs: patienceMs / 3 });
    await send();
    server.script = always('dot', { drip: '250 2.0.0 Taken at last\r\n', everyMs: 5 });
    expect((await send()).response).toBe('250 2.0.0 Taken at last');
  });

  it('misbehaves so often and then obliges', async () => {
    server.script = first(2, 'dot', 'drop');
    const messageId = '<once@acme.test>';
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => send({ messageId })));
    expect(outcomes.map(({ status }) => status).sort()).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    expect([...server.duplicates]).toEqual([[`${messageId} bob@else.test`, 3]]);
    server.reset();
    expect([server.taken, server.duplicates.size]).toEqual([[], 0]);
    await send();
  });

  it('follows the first of several scripts that has something to do', async () => {
    server.script = anyOf(first(1, 'mail', { reply: '450 4.7.1 Later' }), always('dot', 'drop'));
    expect((await failure(server.script)).message).toContain('450');
    await failure(server.script);
    expect(server.taken).toHaveLength(1);
  });

  it('answers what is no command, and a client that does not wait', async () => {
    const socket = connect(server.port, '127.0.0.1');
    socket.write(
      'WHAT\r\nRCPT TO:<a@b>\r\nDATA\r\nNOOP\r\nMAIL FROM:<>\r\nRCPT TO:<a@b>\r\nRSET\r\nQUIT\r\n',
    );
    let said = '';
    socket.setEncoding('utf8').on('data', (text: string) => (said += text));
    await once(socket, 'close');
    const codes = said.split('\r\n').map((line) => line.slice(0, 3));
    expect(codes).toEqual(['220', '500', '503', '503', '250', '250', '250', '250', '221', '']);
  });
});
