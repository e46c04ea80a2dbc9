import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { importSteps, mailboxes, type BegunImport } from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import {
  always,
  anyOf,
  first,
  obliging,
  ScriptedSmtp,
  type SmtpAct,
  type SmtpScript,
  type SmtpStage,
} from '@postroom/testing';
import { isFullRun } from '@postroom/testing/repetitions';
import { eventually } from '@postroom/testing/until';
import { MailService, type MailboxOf } from '../testing/mail-service.js';
import { aMessage, newSendKey, Sendings, type SendAnswer } from '../testing/sending.js';

let server: ScriptedSmtp;
let service: MailService;
let sendings: Sendings;
let mailbox: MailboxOf;

beforeAll(async () => {
  server = await ScriptedSmtp.listen();
  service = await MailService.start({
    OUTGOING_SMTP_URL: server.url,
    SEND_SETTLE_INTERVAL: '200ms',
  });
  sendings = new Sendings(service);
  mailbox = await service.mailbox();
});

afterEach(() => {
  expect(server.duplicates).toEqual(new Map());
});

afterAll(async () => {
  await service.close();
  await server.close();
});

const garbage = { raw: 'what was that?\r\n' };
const slowly = (line: string): SmtpAct => ({ drip: `${line}\r\n`, everyMs: 20 });
const later = { reply: '451 4.3.0 Later' };
const never = { reply: '554 5.7.1 Never' };

/** A silent server is waited for as long as the caller waits. */
const patience = (act: SmtpAct): { timeoutMs?: number } =>
  act === 'silence' ? { timeoutMs: 25_000 } : {};

/** A script, on connections that are yet to be made. */
async function withNewConnections(script: SmtpScript): Promise<void> {
  server.reset(always('accepted', 'drop'));
  await sendings.create(mailbox);
  server.reset(script);
}

/** Tries all cases at once, each on a mailbox whose mail server is its own. */
async function eachBehindItsOwn<T>(
  cases: readonly T[],
  attempt: (one: T, own: ScriptedSmtp, box: MailboxOf) => Promise<void>,
): Promise<void> {
  await Promise.all(
    cases.map(async (one) => {
      const own = await ScriptedSmtp.listen();
      const outgoing = { host: '127.0.0.1', port: own.port, secure: false, user: null };
      await attempt(one, own, await service.mailbox({ outgoing }));
      expect(own.duplicates).toEqual(new Map());
      await own.close();
    }),
  );
}

type Case = readonly [SmtpStage, SmtpAct, string];

const certain: readonly Case[] = [
  ['connect', 'drop', 'OUTGOING_UNAVAILABLE'],
  ['connect', 'reset', 'OUTGOING_UNAVAILABLE'],
  ['connect', never, 'OUTGOING_REFUSED'],
  ['connect', garbage, 'OUTGOING_UNAVAILABLE'],
  ['connect', { flood: '220-more of it\r\n' }, 'OUTGOING_UNAVAILABLE'],
  ['connect', { reply: '421 4.3.2 Later' }, 'OUTGOING_UNAVAILABLE'],
  ['ehlo', 'drop', 'OUTGOING_UNAVAILABLE'],
  ['mail', 'drop', 'OUTGOING_UNAVAILABLE'],
  ['mail', 'reset', 'OUTGOING_UNAVAILABLE'],
  ['mail', later, 'OUTGOING_UNAVAILABLE'],
  ['mail', { reply: '550 5.1.0 Not you' }, 'OUTGOING_REFUSED'],
  ['mail', { reply: '552 5.3.4 Too large' }, 'MESSAGE_REFUSED'],
  ['mail', { reply: '421 4.3.2 Closing', then: 'drop' }, 'OUTGOING_UNAVAILABLE'],
  ['mail', garbage, 'OUTGOING_UNAVAILABLE'],
  ['mail', { flood: '250-more of it\r\n' }, 'OUTGOING_UNAVAILABLE'],
  ['rcpt', 'drop', 'OUTGOING_UNAVAILABLE'],
  ['rcpt', later, 'OUTGOING_UNAVAILABLE'],
  ['rcpt', { reply: '550 5.1.1 Nobody' }, 'RECIPIENTS_REFUSED'],
  ['rcpt', garbage, 'OUTGOING_UNAVAILABLE'],
  ['data', 'drop', 'OUTGOING_UNAVAILABLE'],
  ['data', later, 'OUTGOING_UNAVAILABLE'],
  ['data', never, 'MESSAGE_REFUSED'],
  ['data', garbage, 'OUTGOING_UNAVAILABLE'],
  ['dot', later, 'OUTGOING_UNAVAILABLE'],
  ['dot', never, 'MESSAGE_REFUSED'],
  ['dot', { reply: '421 4.3.2 Closing', then: 'drop' }, 'OUTGOING_UNAVAILABLE'],
  // PostgreSQL keeps no NUL, nor half a character that is cut.
  ['connect', { reply: '554 a\0b' }, 'OUTGOING_REFUSED'],
  ['mail', { reply: '550 \0' }, 'OUTGOING_REFUSED'],
  ['rcpt', { reply: '550 \0nobody' }, 'RECIPIENTS_REFUSED'],
  ['dot', { reply: '550 a\0b' }, 'MESSAGE_REFUSED'],
  ['dot', { reply: `451 ${'é\u{1f4ee}'.repeat(200)}` }, 'OUTGOING_UNAVAILABLE'],
  ['dot', { reply: `451 ${'\u{1f4ee}'.repeat(300)}` }, 'OUTGOING_UNAVAILABLE'],
];

describe('a send that certainly was not handed over', () => {
  it.each(certain)('at %s, %j: %s, and the key is free', async (stage, act, problem) => {
    await withNewConnections(first(1, stage, act));
    const idempotencyKey = newSendKey();
    const refused = await sendings.create(mailbox, aMessage(), { idempotencyKey });
    expect(refused.problem).toBe(problem);
    expect(refused.body.fields).toBeUndefined();
    const again = await sendings.create(mailbox, aMessage(), { idempotencyKey });
    expect(again).toMatchObject({ status: 200, body: { receiptSource: 'smtp' } });
    expect(server.delivered).toHaveLength(1);
  });

  it('names the fields of the recipients that were all refused', async () => {
    const someone = [{ email: 'someone@correspondent.example', name: null }];
    await withNewConnections(always('rcpt', { reply: '550 5.1.1 Nobody' }));
    const refused = await sendings.create(mailbox, aMessage({ bcc: someone }));
    expect(refused).toMatchObject({ status: 400, problem: 'RECIPIENTS_REFUSED' });
    expect(refused.body).toMatchObject({ violations: [{ field: 'to' }, { field: 'bcc' }] });
  });

  it('is one whose server says nothing before the message', async () => {
    const stages = ['connect', 'mail', 'rcpt', 'data'] as const;
    await eachBehindItsOwn(stages, async (stage, own, box) => {
      own.reset(first(1, stage, 'silence'));
      const idempotencyKey = newSendKey();
      const options = { idempotencyKey, ...patience('silence') };
      const { problem } = await sendings.create(box, aMessage(), options);
      const again = await sendings.create(box, aMessage(), { idempotencyKey });
      expect([stage, problem, again.status]).toEqual([stage, 'OUTGOING_UNAVAILABLE', 200]);
      expect(own.delivered).toHaveLength(1);
    });
  });

  it('is one that was cut off in the middle', async () => {
    const contentBase64 = Buffer.alloc(isFullRun() ? 15_000_000 : 1_500_000, 'x').toString(
      'base64',
    );
    const attachments = [{ contentBase64, filename: 'a.txt', mimeType: null }];
    server.reset(first(1, 'body', { afterBytes: 100_000, then: 'drop' }));
    const idempotencyKey = newSendKey();
    const refused = await sendings.create(mailbox, { attachments }, { idempotencyKey });
    expect(refused.problem).toBe('OUTGOING_UNAVAILABLE');
    const again = await sendings.create(mailbox, { attachments }, { idempotencyKey });
    expect(again.status).toBe(200);
    expect(server.delivered).toHaveLength(1);
  });
});

const uncertain: readonly (readonly [SmtpStage, SmtpAct])[] = [
  ['body', 'drop'],
  ['dot', 'drop'],
  ['dot', 'reset'],
  ['dot', garbage],
  ['dot', { raw: '550 an answer without an end' }],
  ['dot', { reply: '354 Go on' }],
  ['dot', { raw: '\0\u{ff}\u{1}\r\n' }],
  ['dot', { raw: '2\r\n' }],
  ['dot', { raw: '2garbage\r\n' }],
  ['dot', { raw: '20 what\r\n' }],
  ['dot', 'silence'],
];

describe('a send of which nobody knows', () => {
  it('is said to be one, wherever its server stops or talks nonsense, and never sent again', async () => {
    await eachBehindItsOwn(uncertain, async ([stage, act], own, box) => {
      own.reset(first(1, stage, act));
      const idempotencyKey = newSendKey();
      const given = aMessage();
      const unknown = await sendings.create(box, given, { idempotencyKey, ...patience(act) });
      expect({ stage, act, ...unknown }).toMatchObject({
        ...{ stage, act, status: 502, problem: 'SEND_OUTCOME_UNKNOWN' },
        body: { fields: { outcomeUnknown: true } },
      });
      const again = await sendings.create(box, given, { idempotencyKey });
      expect({ stage, act, ...again }).toMatchObject({
        ...{ stage, act, status: 409, problem: 'SEND_DUPLICATE' },
        headers: { 'x-svc-idempotency': 'duplicate-suppressed' },
        body: { fields: { duplicate: true, outcomeUnknown: true } },
      });
      expect(own.moments.filter((moment) => moment.stage === 'mail')).toHaveLength(1);
    });
  });

  it('is settled by an answer that names it, and told of once', async () => {
    const own = await service.mailbox();
    server.reset(first(1, 'dot', 'drop'));
    const idempotencyKey = newSendKey();
    const given = aMessage();
    await sendings.create(own, given, { idempotencyKey });
    const [taken] = server.taken;
    const id = taken?.messageId ?? '';
    await service.send({ to: own.address, inReplyTo: id, references: id });
    const ask = () => sendings.create(own, given, { idempotencyKey });
    const answer = await eventually(ask, ({ status }) => status === 200);
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'x-svc-idempotency': 'hit' },
      body: { receiptSource: 'reconciled', accepted: ['camille@correspondent.example'] },
    });
    const [conversation, ...others] = await service.list(own);
    expect(others).toEqual([]);
    // It stands before its answer, which nobody has answered.
    expect(conversation).toMatchObject({
      ...{ id: answer.body.threadId, messageCount: 2 },
      ...{ unread: true, waitingSince: conversation?.lastMessageAt },
    });
    expect(conversation?.lastMessageId).not.toBe(answer.body.id);
    const sent = (await service.events(own)).filter(({ type }) => type === 'message.sent');
    expect(sent).toHaveLength(1);
  });

  it.each<SmtpAct>(['drop', { afterMs: 60_000 }])(
    'does not call a recipient accepted whom the server had refused (%j)',
    async (end) => {
      const own = await service.mailbox();
      server.reset(anyOf(first(1, 'dot', end), first(1, 'rcpt', never)));
      const idempotencyKey = newSendKey();
      const to = ['gone@correspondent.example', 'camille@correspondent.example'];
      const given = aMessage({ to: to.map((email) => ({ email, name: null })) });
      await sendings.create(own, given, { idempotencyKey, timeoutMs: 4_000 });
      const id = server.taken[0]?.messageId ?? '';
      await service.send({ to: own.address, inReplyTo: id, references: id });
      const ask = () => sendings.create(own, given, { idempotencyKey });
      const { body } = await eventually(ask, ({ status }) => status === 200);
      expect(body).toMatchObject({
        ...{ receiptSource: 'reconciled', accepted: [to[1]], rejected: [to[0]] },
      });
    },
  );

  it('is settled by a delivery report that returns it, without anybody asking', async () => {
    const own = await service.mailbox();
    server.reset(first(1, 'dot', 'drop'));
    await sendings.create(own);
    const [taken] = server.taken;
    const returned = { contentType: 'message/rfc822', content: taken?.raw ?? '' };
    await service.send({
      ...{ from: 'mailer-daemon@mx.example', to: own.address },
      ...{ subject: 'Undelivered Mail Returned to Sender', text: 'Nobody is there.' },
      attachments: [{ ...returned, filename: false }],
    });
    const states = async (): Promise<unknown> => {
      const { rows } = await service.admin.query(
        `SELECT r.state, m.receipt_source, m.conversation_id = b.conversation_id AS together
         FROM send_reservations r
         LEFT JOIN messages m ON m.tenant_id = r.tenant_id AND m.direction = 'outbound'
         LEFT JOIN messages b ON b.tenant_id = r.tenant_id AND b.bounce
         WHERE r.tenant_id = $1`,
        [own.tenantId],
      );
      return rows;
    };
    const settled = [{ state: 'sent', receipt_source: 'reconciled', together: true }];
    for (let left = 2_400; left > 0; left -= 1) {
      if (isDeepStrictEqual(await states(), settled)) break;
      await sleep(100);
    }
    expect(await states()).toEqual(settled);
  });

  it.each(['imported', 'received'])('is settled by a copy of itself that is %s', async (way) => {
    const own = await service.mailbox();
    server.reset(first(1, 'dot', 'drop'));
    const [idempotencyKey, given] = [newSendKey(), aMessage()];
    await sendings.create(own, given, { idempotencyKey });
    const raw = server.taken[0]?.raw ?? '';
    if (way === 'received') {
      await service.send({ raw, envelope: { from: own.address, to: own.address } });
    } else {
      const asking = { caller: anAdmin({ tenantId: own.tenantId }) };
      const begun = { mailboxId: own.id };
      const { body } = await service.call<BegunImport>(importSteps.begin, begun, asking);
      const step = { id: body.id, first: 0, bytesRead: 1, separators: [] };
      const messages = [Buffer.from(raw).toString('base64')];
      const taken = await service.call(importSteps.take, { ...step, messages }, asking);
      expect(taken.body).toMatchObject({ imported: 0, duplicates: 1 });
    }
    const ask = () => sendings.create(own, given, { idempotencyKey });
    const answer = await eventually(ask, ({ status }) => status === 200);
    expect(answer.body).toMatchObject({ receiptSource: 'reconciled' });
    const sent = 'SELECT count(*)::int FROM messages WHERE tenant_id = $1 AND direction = $2';
    const { rows } = await service.admin.query(sent, [own.tenantId, 'outbound']);
    expect(rows).toEqual([{ count: 1 }]);
  });

  it('is a receipt all the same when the server answers late', async () => {
    const givenUp = Promise.withResolvers<null>();
    server.reset(first(1, 'dot', { once: givenUp.promise }));
    const idempotencyKey = newSendKey();
    const given = aMessage();
    const late = await sendings.create(mailbox, given, { idempotencyKey, timeoutMs: 4_000 });
    expect(late.problem).toBe('SEND_OUTCOME_UNKNOWN');
    givenUp.resolve(null);
    const ask = () => sendings.create(mailbox, given, { idempotencyKey });
    const answer = await eventually(ask, ({ status }) => status === 200);
    expect(answer.body).toMatchObject({ receiptSource: 'smtp' });
  });
});

describe('a send that was handed over', () => {
  it('is answered with its receipt when the connection then breaks', async () => {
    server.reset(always('accepted', 'drop'));
    const answer = await sendings.create(mailbox);
    expect(answer.status).toBe(200);
  });

  it('is answered with its receipt by a server that speaks slowly', async () => {
    server.reset(anyOf(always('dot', slowly('250 2.0.0 Kept')), always('rcpt', slowly('250 Ok'))));
    expect((await sendings.create(mailbox)).status).toBe(200);
  });

  it('signs in at the mailbox’s own server, and is refused where that refuses it', async () => {
    const own = await service.mailbox();
    const caller = anAdmin({ tenantId: own.tenantId });
    const access = { host: '127.0.0.1', port: server.port, secure: false, user: 'ada' };
    const outgoing = { ...access, password: 'a password' };
    await service.call(mailboxes.update, { id: own.id, outgoing }, { caller });
    server.reset(obliging);
    expect((await sendings.create(own)).status).toBe(200);
    expect(server.moments.map(({ stage }) => stage)).toContain('auth');
    server.reset(anyOf(always('auth', { reply: '535 5.7.8 No' }), always('quit', 'drop')));
    await service.call(
      mailboxes.update,
      { id: own.id, outgoing: { ...outgoing, password: 'another' } },
      { caller },
    );
    // Nobody need ask again before somebody has looked at the settings.
    expect(await sendings.create(own)).toMatchObject({
      ...{ status: 503, problem: 'OUTGOING_REFUSED', headers: { 'retry-after': '600' } },
    });
  });

  it('dials no server that has become one of the private network since', async () => {
    const own = await service.mailbox();
    const caller = anAdmin({ tenantId: own.tenantId });
    const outgoing = { host: '127.0.0.1', port: server.port, secure: false, user: null };
    await service.call(mailboxes.update, { id: own.id, outgoing }, { caller });
    await service.rows(
      `UPDATE mailboxes SET outgoing = outgoing || '{"host": "::1"}' WHERE id = $1`,
      [own.id],
    );
    expect(await sendings.create(own)).toMatchObject({ status: 503, problem: 'OUTGOING_REFUSED' });
  });

  it('names the recipients that were refused', async () => {
    server.reset(always('rcpt', { reply: '550 5.1.1 Nobody' }, 'eve@xn--mnchen-3ya.example'));
    const { body } = await sendings.create(mailbox, {
      to: [
        { email: 'eve@münchen.example', name: null },
        { email: 'camille@correspondent.example', name: null },
      ],
    });
    expect(body).toMatchObject({
      accepted: ['camille@correspondent.example'],
      rejected: ['eve@münchen.example'],
    });
  });

  it('uses a connection again, and opens another when that was closed meanwhile', async () => {
    server.reset(obliging);
    for (let i = 0; i < 3; i++) expect((await sendings.create(mailbox)).status).toBe(200);
    expect(new Set(server.taken.map(({ connection }) => connection)).size).toBe(1);
    server.script = first(1, 'accepted', 'drop');
    for (let i = 0; i < 2; i++) expect((await sendings.create(mailbox)).status).toBe(200);
    expect(new Set(server.taken.map(({ connection }) => connection)).size).toBe(2);
  });
});

describe('a service that stops', () => {
  it('gives what is on its way a moment, and then says what nobody knows', async () => {
    const own = await MailService.start({ OUTGOING_SMTP_URL: server.url });
    const box = await own.mailbox();
    const send = (): Promise<SendAnswer> => new Sendings(own).create(box);
    server.reset(first(1, 'dot', 'silence'));
    const hanging = send();
    while (server.taken.length === 0) await sleep(20);
    server.script = first(1, 'mail', 'silence');
    const beginning = send();
    while (server.moments.filter(({ stage }) => stage === 'mail').length < 2) await sleep(20);
    await own.stop();
    expect(await hanging).toMatchObject({ problem: 'SEND_OUTCOME_UNKNOWN' });
    expect(await beginning).toMatchObject({ problem: 'OUTGOING_UNAVAILABLE' });
    const { rows } = await own.admin.query('SELECT state FROM send_reservations ORDER BY 1');
    expect(rows).toEqual([{ state: 'failed' }, { state: 'unknown' }]);
    await own.close();
  });
});
