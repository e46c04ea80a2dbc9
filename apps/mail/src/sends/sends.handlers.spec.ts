import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  conversations,
  dlpRules,
  newId,
  sends,
  signatureSettings,
  type Conversation,
  type SendMessage,
  type SendReceipt,
  type SendReply,
  type SignatureAnswer,
} from '@postroom/contracts';
import { aKey, anAdmin } from '@postroom/service-testing';
import { MailService, type Answer, type MailboxOf } from '../testing/mail-service.js';
import { TestOutbox } from '../testing/outgoing.js';

let service: MailService;
let outbox: TestOutbox;

beforeAll(async () => {
  outbox = await TestOutbox.start();
  service = await MailService.start(outbox.env);
});

afterAll(async () => {
  await service.close();
  await outbox.close();
});

const aKeyText = (): string => `key-${randomUUID()}`;

type Given = Partial<Omit<SendMessage, 'mailbox'>>;

const message = (given: Given = {}) => ({
  to: [{ email: 'camille@correspondent.example', name: 'Camille Martin' }],
  cc: [],
  bcc: [],
  subject: `Your order ${randomUUID()}`,
  body: '<p>It is on its <b>way</b>.</p>',
  attachments: [],
  ...given,
});

const send = (
  mailbox: MailboxOf,
  given: Given = {},
  idempotencyKey = aKeyText(),
): Promise<Answer<SendReceipt>> =>
  service.call(
    sends.create,
    { mailbox: mailbox.address, ...message(given) },
    { caller: mailbox.caller, idempotencyKey },
  );

const reply = (
  mailbox: MailboxOf,
  id: string,
  given: Partial<Omit<SendReply, 'mailbox' | 'id'>> = {},
  idempotencyKey = aKeyText(),
): Promise<Answer<SendReceipt>> =>
  service.call(
    sends.reply,
    { mailbox: mailbox.address, id, ...message(given) },
    { caller: mailbox.caller, idempotencyKey },
  );

/** A signature for a mailbox of its workspace, or for any. */
const signature = async (
  { tenantId }: MailboxOf,
  mailbox: string | null,
  html = '<p>Ann, <b>Acme</b></p>',
): Promise<SignatureAnswer['signature']> => {
  const input = { name: 'Ann', html, mailbox, isDefault: false };
  const caller = anAdmin({ tenantId });
  const { body } = await service.call<SignatureAnswer>(signatureSettings.create, input, { caller });
  return body.signature;
};

const conversation = async (mailbox: MailboxOf, id: string): Promise<Conversation> => {
  const input = { mailbox: mailbox.address, id };
  const { body } = await service.call<{ conversation: Conversation }>(conversations.get, input, {
    caller: mailbox.caller,
  });
  return body.conversation;
};

describe('sends.create', () => {
  it('hands the message over and answers its receipt', async () => {
    const mailbox = await service.mailbox();
    const given = message({ bcc: [{ email: 'hidden@correspondent.example', name: null }] });
    const { status, body, headers } = await send(mailbox, given);
    expect(status).toBe(200);
    expect(headers).not.toHaveProperty('x-svc-idempotency');
    expect(body).toEqual({
      id: expect.stringMatching(/^msg_/),
      threadId: expect.stringMatching(/^cnv_/),
      accepted: ['camille@correspondent.example', 'hidden@correspondent.example'],
      rejected: [],
      providerMessageId: expect.stringMatching(/^pr\.[0-9a-f]{40}@acme\.test$/),
      receiptSource: 'smtp',
      dlpStatus: 'ok',
    });
    const [eml, ...others] = await outbox.messages(given.subject);
    expect(others).toEqual([]);
    expect(eml).toMatch(new RegExp(`^Message-ID: <${body.providerMessageId}>`, 'm'));
    expect(eml).not.toMatch(/hidden@|^bcc/im);
  });

  it('makes a conversation of it, with the message as outbound', async () => {
    const mailbox = await service.mailbox();
    const { body } = await send(mailbox, {
      bcc: [{ email: 'hidden@correspondent.example', name: null }],
    });
    const shown = await conversation(mailbox, body.threadId);
    expect(shown).toMatchObject({ messageCount: 1, unread: false, waitingSince: null, from: null });
    expect(shown.participants).toEqual([
      { email: 'camille@correspondent.example', name: 'Camille Martin' },
    ]);
    expect(shown.messages).toMatchObject([
      {
        id: body.id,
        direction: 'outbound',
        from: { email: mailbox.address },
        bcc: [{ email: 'hidden@correspondent.example', name: null }],
        text: 'It is on its way.\n',
        html: '<p>It is on its <b>way</b>.</p>\n',
        messageId: body.providerMessageId,
        providerMessageId: body.providerMessageId,
        receiptSource: 'smtp',
        createdBy: { type: 'key' },
      },
    ]);
  });

  it('tells of it by one event, and keeps it in the audit', async () => {
    const mailbox = await service.mailbox();
    const key = aKeyText();
    const given = message();
    const { body } = await send(mailbox, given, key);
    await send(mailbox, given, key);
    const events = await service.events(mailbox);
    expect(events).toMatchObject([
      {
        type: 'message.sent',
        resource: { type: 'conversation', id: body.threadId },
        sequence: 1,
        data: { message: { id: body.id }, conversation: { id: body.threadId } },
      },
    ]);
    expect(await service.audit(mailbox)).toContainEqual(
      expect.objectContaining({ action: 'sends.create', subjectId: body.id, actorType: 'key' }),
    );
  });

  it('shows of its files what they are, and what they were called', async () => {
    const mailbox = await service.mailbox();
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000', 'hex');
    const page = Buffer.from('<!doctype html><p>x');
    const files: readonly [Buffer, string | null, string][] = [
      [png, 'text/plain', 'image/png'],
      [png, null, 'image/png'],
      [Buffer.from('a'), 'Text/CSV; charset=utf-8', 'text/csv'],
      [Buffer.from('a'), null, 'text/plain'],
      [page, 'text/plain', 'text/html'],
      [Buffer.from('no page'), 'text/html', 'text/plain'],
      [Buffer.from('Subject: x\r\n\r\ny\r\n'), 'message/rfc822', 'message/rfc822'],
      [Buffer.from([0, 1, 2]), 'application/x-own', 'application/octet-stream'],
    ];
    const attachments = files.map(([bytes, mimeType]) => ({
      ...{ contentBase64: bytes.toString('base64'), filename: null, mimeType },
    }));
    const { body } = await send(mailbox, { attachments });
    const [shown] = (await conversation(mailbox, body.threadId)).messages;
    const types = shown?.attachments.map(({ filename, mimeType, declaredMimeType }) => [
      ...[filename, declaredMimeType, mimeType],
    ]);
    expect(types).toEqual(files.map(([, declared, real]) => [null, declared, real]));
  });

  it('has the signature that it names below its body, and what is new in it is the body', async () => {
    const mailbox = await service.mailbox();
    for (const at of [null, mailbox.address]) {
      const { id: signatureId } = await signature(mailbox, at);
      const given = message({ signatureId });
      const { body, status } = await send(mailbox, given);
      expect(status).toBe(200);
      const [eml = ''] = await outbox.messages(given.subject);
      expect(eml).toContain('\r\n\r\nIt is on its way.\r\n\r\n-- \r\nAnn, Acme\r\n');
      expect(eml).toContain('<div class="signature"><p>Ann, <b>Acme</b></p></div>');
      const [shown] = (await conversation(mailbox, body.threadId)).messages;
      expect(shown).toMatchObject({ extractedText: 'It is on its way.\n' });
      expect(shown?.html).toContain('<p>Ann, <b>Acme</b></p>');
    }
  });

  it('may have a long one, and keeps nothing of what does not leave', async () => {
    const mailbox = await service.mailbox();
    const long = `<p>${'Ann, of Acme. '.repeat(1500)}</p>`;
    const { id: signatureId } = await signature(mailbox, null, long);
    const given = message({ signatureId });
    expect((await send(mailbox, given)).status).toBe(200);
    const [eml = ''] = await outbox.messages(given.subject);
    expect(eml.length).toBeGreaterThan(2 * long.length);
    expect(await service.count('staged_messages', mailbox)).toBe(0);
    const rule = { name: 'us', detector: 'pattern', pattern: 'of Acme', action: 'block' } as const;
    const blocking = { ...rule, mailboxes: [], enabled: true };
    await service.call(dlpRules.create, blocking, { caller: anAdmin(mailbox) });
    expect(await send(mailbox, { signatureId })).toMatchObject({ problem: 'DLP_BLOCKED' });
    expect(await service.count('staged_messages', mailbox)).toBe(0);
  });

  it('answers SIGNATURE_NOT_FOUND for one that its mailbox has not, and keeps the key free', async () => {
    const mailbox = await service.mailbox();
    const beside = await service.mailbox({ tenantId: mailbox.tenantId });
    const other = await service.mailbox();
    const key = aKeyText();
    for (const signatureId of [
      (await signature(beside, beside.address)).id,
      (await signature(other, null)).id,
      newId('sig'),
    ]) {
      expect(await send(mailbox, { signatureId }, key)).toMatchObject({
        status: 404,
        problem: 'SIGNATURE_NOT_FOUND',
      });
    }
    expect((await send(mailbox, {}, key)).status).toBe(200);
  });

  it('is another payload with another signature, and judged with it', async () => {
    const mailbox = await service.mailbox();
    const key = aKeyText();
    const given = message();
    await send(mailbox, given, key);
    const { id: signatureId } = await signature(mailbox, null);
    expect(await send(mailbox, { ...given, signatureId }, key)).toMatchObject({
      status: 409,
      problem: 'IDEMPOTENCY_KEY_REUSED',
    });
    const rule = {
      name: 'us',
      detector: 'pattern',
      pattern: 'Ann, Acme',
      action: 'block',
    } as const;
    const blocking = { ...rule, mailboxes: [], enabled: true };
    await service.call(dlpRules.create, blocking, { caller: anAdmin(mailbox) });
    expect((await send(mailbox)).status).toBe(200);
    expect(await send(mailbox, { signatureId })).toMatchObject({ problem: 'DLP_BLOCKED' });
  });

  it('answers a repeat with the first receipt, and sends nothing', async () => {
    const mailbox = await service.mailbox();
    const key = aKeyText();
    const given = message();
    const first = await send(mailbox, given, key);
    const colleague = { ...mailbox, caller: aKey({ tenantId: mailbox.tenantId }) };
    for (const from of [mailbox, colleague]) {
      const again = await send(from, given, key);
      expect(again).toMatchObject({ status: 200, headers: { 'x-svc-idempotency': 'hit-mem' } });
      expect(again.text).toBe(first.text);
    }
    expect(await outbox.messages(given.subject)).toHaveLength(1);
  });

  it('answers a repeat at an instance that has not seen it from the reservation, once', async () => {
    const mailbox = await service.mailbox();
    const key = aKeyText();
    const given = message();
    const first = await send(mailbox, given, key);
    await service.restart();
    for (const from of ['hit', 'hit-mem', 'hit-mem']) {
      const again = await send(mailbox, given, key);
      expect(again).toMatchObject({ status: 200, headers: { 'x-svc-idempotency': from } });
      expect(again.text).toBe(first.text);
    }
    expect(await outbox.messages(given.subject)).toHaveLength(1);
  });

  it('knows a key as one of its mailbox and workspace alone', async () => {
    const mailbox = await service.mailbox();
    const beside = await service.mailbox({ tenantId: mailbox.tenantId });
    const key = aKeyText();
    const given = message();
    const ids = new Set<string>();
    for (const one of [mailbox, beside, await service.mailbox()]) {
      const { status, headers, body } = await send(one, given, key);
      expect({ status, repeated: headers['x-svc-idempotency'] }).toEqual({ status: 200 });
      ids.add(body.id);
    }
    expect(ids.size).toBe(3);
  });

  it('refuses another payload under the key', async () => {
    const mailbox = await service.mailbox();
    const key = aKeyText();
    await send(mailbox, message(), key);
    expect(await send(mailbox, message(), key)).toMatchObject({
      status: 409,
      problem: 'IDEMPOTENCY_KEY_REUSED',
      headers: { 'x-svc-idempotency': 'key-reused' },
      body: { fields: { code: 'IDEMPOTENCY_KEY_REUSED', idempotencyKeyReused: true } },
    });
  });

  it("compares no key's request with a member's send, and answers the member's repeat", async () => {
    const mailbox = await service.mailbox();
    const member = { ...mailbox, caller: anAdmin(mailbox) };
    const key = aKeyText();
    const given = message();
    const first = await send(member, given, key);
    for (const from of ['hit-mem', 'hit']) {
      expect(await send(mailbox, given, key)).toMatchObject({
        status: 409,
        problem: 'IDEMPOTENCY_KEY_UNVERIFIABLE',
        headers: { 'x-svc-idempotency': 'key-unverifiable' },
        body: { fields: { idempotencyKeyUnverifiable: true } },
      });
      const again = await send(member, given, key);
      expect(again).toMatchObject({ status: 200, headers: { 'x-svc-idempotency': from } });
      expect(again.text).toBe(first.text);
      await service.restart();
    }
    expect(await outbox.messages(given.subject)).toHaveLength(1);
  });

  it('sends one message of fifty requests with one key', async () => {
    const mailbox = await service.mailbox();
    const key = aKeyText();
    const given = message();
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(mailbox, given, key)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(1);
    expect(new Set(statuses)).toEqual(new Set([200, 409]));
    for (const { status, body } of answers) {
      if (status === 409) {
        expect(body).toMatchObject({ fields: { duplicate: true, outcomeUnknown: false } });
      }
    }
    expect(await outbox.messages(given.subject)).toHaveLength(1);
    expect(await service.count('messages', mailbox)).toBe(1);
  });

  it('sends each of sixty messages with keys of their own once', async () => {
    const mailbox = await service.mailbox();
    const given = Array.from({ length: 60 }, () => message());
    const answers = await Promise.all(given.map((one) => send(mailbox, one)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const sent = await Promise.all(given.map(({ subject }) => outbox.messages(subject)));
    expect(sent.map(({ length }) => length)).toEqual(given.map(() => 1));
  });

  it('finds what a process that died had sent among what the provider took', async () => {
    const mailbox = await service.mailbox();
    const key = aKeyText();
    const given = message();
    const first = await send(mailbox, given, key);
    await service.restart();
    const outgoing = {
      ...{ message: first.body.id, conversationId: null, to: given.to, cc: [], bcc: [] },
      ...{ sentAt: '2026-01-01T00:00:00.000Z', actor: { type: 'key', id: newId('key') } },
      ...{ source: 'api', operation: 'sends.create', requestId: 'r', dlpStatus: 'ok' },
    };
    const { tenantId } = mailbox;
    await service.admin.query('DELETE FROM search_documents WHERE tenant_id = $1', [tenantId]);
    await service.admin.query('DELETE FROM messages WHERE tenant_id = $1', [tenantId]);
    await service.admin.query(
      `UPDATE send_reservations SET state = 'transmitting', receipt = NULL, token = 'dead',
         lease_until = now() - interval '1 second', outgoing = $2 WHERE tenant_id = $1`,
      [tenantId, JSON.stringify(outgoing)],
    );
    const again = await send(mailbox, given, key);
    expect(again).toMatchObject({
      status: 200,
      headers: { 'x-svc-idempotency': 'hit' },
      body: { ...first.body, receiptSource: 'reconciled' },
    });
    expect(await outbox.messages(given.subject)).toHaveLength(1);
    const shown = await conversation(mailbox, first.body.threadId);
    expect(shown.messages).toMatchObject([{ id: first.body.id, receiptSource: 'reconciled' }]);
  });

  it('answers CONVERSATION_NOT_FOUND for another workspace’s, and keeps the key free', async () => {
    const mailbox = await service.mailbox();
    const other = await service.conversation(await service.mailbox());
    const key = aKeyText();
    for (const threadId of [other.id, newId('cnv')]) {
      expect(await send(mailbox, message({ threadId }), key)).toMatchObject({
        status: 404,
        problem: 'CONVERSATION_NOT_FOUND',
      });
    }
    expect((await send(mailbox, message(), key)).status).toBe(200);
  });
});

describe('sends.reply', () => {
  it('joins the conversation and names what it answers', async () => {
    const mailbox = await service.mailbox();
    const first = await service.conversation(mailbox, { messageId: '<first@c.example>' });
    const given = message();
    const { status, body } = await reply(mailbox, first.id, given);
    expect({ status, threadId: body.threadId }).toEqual({ status: 200, threadId: first.id });
    const [eml] = await outbox.messages(given.subject);
    expect(eml).toMatch(/^In-Reply-To: <first@c\.example>\r$/m);
    expect(eml).toMatch(/^References: <first@c\.example>\r$/m);
    const shown = await conversation(mailbox, first.id);
    expect(shown).toMatchObject({ messageCount: 2, waitingSince: null, unread: false });
  });

  it('is joined by the answer that comes back', async () => {
    const mailbox = await service.mailbox();
    const { body } = await send(mailbox);
    const id = body.providerMessageId ?? '';
    await service.send({ to: mailbox.address, inReplyTo: `<${id}>`, references: `<${id}>` });
    const shown = await conversation(mailbox, body.threadId);
    expect(shown.messages.map(({ direction }) => direction)).toEqual(['outbound', 'inbound']);
  });

  it('does not wait for who only names its conversation, as a draft that is begun does', async () => {
    const mailbox = await service.mailbox();
    const { id } = await service.conversation(mailbox);
    await service.admin.query('BEGIN');
    try {
      await service.admin.query('SELECT FROM conversations WHERE id = $1 FOR KEY SHARE', [id]);
      expect(await reply(mailbox, id)).toMatchObject({ status: 200, body: { threadId: id } });
    } finally {
      await service.admin.query('ROLLBACK');
    }
  });

  it('refuses a message of another conversation, as a draft does', async () => {
    const mailbox = await service.mailbox();
    const [one, other] = [await service.conversation(mailbox), await service.conversation(mailbox)];
    const inReplyTo = other.lastMessageId ?? '';
    const answer = await reply(mailbox, one.id, message({ inReplyTo }));
    expect(answer).toMatchObject({ status: 400, problem: 'INVALID_REQUEST' });
    expect(answer.body).toMatchObject({ violations: [{ field: 'inReplyTo' }] });
    const elsewhere = await service.mailbox({ tenantId: mailbox.tenantId });
    const foreign = (await service.conversation(elsewhere)).lastMessageId ?? '';
    const unknown = await reply(mailbox, one.id, message({ inReplyTo: foreign }));
    expect(unknown).toMatchObject({ status: 404, problem: 'MESSAGE_NOT_FOUND' });
  });
});
