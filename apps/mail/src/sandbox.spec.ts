import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  accountMail,
  builtIns,
  conversations,
  newId,
  newSandboxId,
  sandboxMail,
  type ClockState,
  type ConversationAnswer,
  type ReceivedMail,
} from '@postroom/contracts';
import { aMember, anAdmin } from '@postroom/service-testing';
import { MailService, type MailboxOf } from './testing/mail-service.js';
import { aMessage, newSendKey, Sendings } from './testing/sending.js';
import { TestOutbox } from './testing/outgoing.js';

describe('a sandbox', () => {
  let service: MailService;
  let outbox: TestOutbox;
  let sendings: Sendings;
  let mailbox: MailboxOf;

  beforeAll(async () => {
    outbox = await TestOutbox.start();
    service = await MailService.start(outbox.env);
    sendings = new Sendings(service);
    mailbox = await service.mailbox({ tenantId: newSandboxId() });
  });
  afterAll(async () => {
    await service.close();
    await outbox.close();
  });

  const receive = (given: object = {}, messageId = newId('req')) =>
    service.call<ReceivedMail>(
      sandboxMail.receive,
      {
        ...{
          mailbox: mailbox.address,
          from: 'camille@correspondent.example',
          cc: [],
          attachments: [],
        },
        ...{ subject: 'An order', body: '<p>Where is <b>it</b>?</p>', ...given },
      },
      { caller: anAdmin({ tenantId: mailbox.tenantId }), messageId },
    );
  const read = async (id: string) =>
    (
      await service.call<ConversationAnswer>(
        conversations.get,
        { id, mailbox: mailbox.address },
        { caller: mailbox.caller },
      )
    ).body.conversation;

  it('keeps what it sends: a receipt, the message in its conversation, once, and nothing leaves', async () => {
    const given = aMessage();
    const idempotencyKey = newSendKey();
    const first = await sendings.create(mailbox, given, { idempotencyKey });
    expect(first).toMatchObject({ status: 200, body: { rejected: [], receiptSource: 'smtp' } });
    expect((await sendings.create(mailbox, given, { idempotencyKey })).body).toEqual(first.body);
    const { messages } = await read(first.body.threadId);
    expect(messages).toMatchObject([{ direction: 'outbound', subject: given.subject }]);
    const mail = { to: 'robin@acme.test', subject: 'A link', text: given.subject };
    const caller = aMember({ tenantId: mailbox.tenantId });
    expect(await service.call(accountMail.send, mail, { caller })).toMatchObject({ status: 200 });
    // A message that another workspace has sent since is there, and nothing of the sandbox.
    const other = await service.mailbox();
    await sendings.create(other, { ...given, body: 'Of another workspace.' });
    expect(await outbox.messages('Of another workspace.')).toHaveLength(1);
    expect(await outbox.messages(given.subject)).toHaveLength(1);
  });

  it('refuses the recipient that is there to be refused', async () => {
    const to = [{ email: 'reject@sandbox.invalid', name: null }];
    const { status, problem } = await sendings.create(mailbox, { to });
    expect([status, problem]).toEqual([400, 'RECIPIENTS_REFUSED']);
    const one = await sendings.create(mailbox, { to: [...aMessage().to, ...to] });
    expect(one.body.rejected).toEqual(['reject@sandbox.invalid']);
  });

  it('receives a described mail as one that arrives: parsed, threaded, with its event', async () => {
    const sent = await sendings.create(mailbox);
    const file = { contentBase64: 'aGVsbG8=', filename: 'note.txt', mimeType: 'text/plain' };
    const given = { fromName: 'Camille', inReplyTo: sent.body.id, attachments: [file] };
    const { status, body } = await receive(given);
    expect([status, body.threadId]).toEqual([201, sent.body.threadId]);
    const { messages } = await read(body.threadId);
    expect(messages.find(({ id }) => id === body.id)).toMatchObject({
      ...{ direction: 'inbound', text: expect.stringContaining('Where is it?') },
      from: { name: 'Camille', email: 'camille@correspondent.example' },
      attachments: [{ filename: 'note.txt', size: 5 }],
    });
    expect(await service.events(mailbox)).toContainEqual(
      expect.objectContaining({ type: 'conversation.received', source: 'inbound' }),
    );
  });

  it('receives each call as another mail, and a request that is delivered again as the same one', async () => {
    const request = newId('req');
    const one = await receive({}, request);
    expect((await receive()).body.threadId).not.toBe(one.body.threadId);
    expect((await receive({}, request)).body).toEqual(one.body);
  });

  it.each([
    ['an answer to what is not there', { inReplyTo: `msg_${'0'.repeat(26)}` }, 'MESSAGE_NOT_FOUND'],
    ['a mailbox that is not there', { mailbox: `${randomUUID()}@acme.test` }, 'MAILBOX_NOT_FOUND'],
  ])('refuses %s', async (_, given, problem) => {
    expect(await receive(given)).toMatchObject({ problem });
  });

  it('does not receive in a mailbox of another workspace', async () => {
    const other = await service.mailbox({ tenantId: newSandboxId() });
    expect(await receive({ mailbox: other.address })).toMatchObject({
      problem: 'MAILBOX_NOT_FOUND',
    });
  });

  it('has no account elsewhere that is read, and so written to', async () => {
    const other = await service.mailbox();
    const values = [[mailbox, other].map(({ tenantId }) => tenantId), [mailbox.id, other.id]];
    // In a transaction of the spec, so that the service finds none of them.
    await service.rows('BEGIN');
    await service.rows(
      `INSERT INTO mailbox_accounts (tenant_id, mailbox_id, kind)
       SELECT *, 'password' FROM unnest($1::text[], $2::text[])`,
      values,
    );
    const leased = await service.rows(`SELECT tenant_id FROM lease_syncs('spec', 100)`);
    await service.rows('ROLLBACK');
    expect(leased).toEqual([{ tenant_id: other.tenantId }]);
  });

  it('has a clock, which another workspace has not', async () => {
    const input = { aheadMs: 86_400_000, since: new Date().toISOString(), events: [] };
    const move = (tenantId: string) =>
      service.call<ClockState>(builtIns.mail.clock, input, { caller: anAdmin({ tenantId }) });
    expect(await move(newId('ten'))).toMatchObject({ problem: 'ROUTE_NOT_FOUND' });
    expect((await move(mailbox.tenantId)).body).toMatchObject({ aheadMs: 86_400_000 });
    const { body } = await receive();
    const { messages } = await read(body.threadId);
    const aheadMs = Date.parse(messages[0]?.receivedAt ?? '') - Date.now();
    expect(Math.abs(aheadMs - 86_400_000)).toBeLessThan(60_000);
  });
});
