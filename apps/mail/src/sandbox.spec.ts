import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  accountMail,
  builtIns,
  conversations,
  domains,
  newId,
  newSandboxId,
  sandboxMail,
  suppressions,
  type ClockState,
  type ConversationAnswer,
  type DomainAnswer,
  type ReceivedMail,
  type SentMailPage,
  type SuppressionPage,
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

  it.each([
    ['bounce', { action: 'failed', status: '5.1.1' }, 'bounced'],
    ['complain', { action: 'complained', status: null }, 'complained'],
  ])('receives the report of %s, and suppresses that address', async (what, told, reason) => {
    const address = `${what}+${randomUUID().slice(0, 8)}@sandbox.invalid`;
    const { body } = await sendings.create(mailbox, { to: [{ email: address, name: null }] });
    expect(body).toMatchObject({ accepted: [address], rejected: [] });
    const { messages } = await read(body.threadId);
    const bounced = { ...told, recipient: address, of: body.id };
    expect(messages).toMatchObject([
      { id: body.id },
      { direction: 'inbound', bounce: true, bounced },
    ]);
    const { caller } = mailbox;
    const found = await service.call<SuppressionPage>(
      suppressions.list,
      { limit: 100 },
      { caller },
    );
    expect(found.body.suppressions).toContainEqual(expect.objectContaining({ address, reason }));
  });

  it('receives ten reports on a message at most, and none in another workspace', async () => {
    const to = Array.from({ length: 12 }, (_, n) => ({
      ...{ email: `bounce+${n}@sandbox.invalid`, name: null },
    }));
    for (const [from, length] of [
      [mailbox, 11],
      [await service.mailbox(), 1],
    ] as const) {
      const { body } = await sendings.create(from, { to });
      const input = { id: body.threadId, mailbox: from.address };
      const found = await service.call<ConversationAnswer>(conversations.get, input, from);
      expect(found.body.conversation.messages).toHaveLength(length);
    }
  });

  it('lists what it has sent, newest first, page by page', async () => {
    const own = await service.mailbox({ tenantId: newSandboxId() });
    const caller = anAdmin({ tenantId: own.tenantId });
    const sent = [];
    for (const bcc of [[], [{ email: 'b@c.example', name: 'B' }]])
      sent.unshift((await sendings.create(own, { ...aMessage(), bcc })).body);
    const list = async (input: object) =>
      (await service.call<SentMailPage>(sandboxMail.list, input, { caller })).body;
    const first = await list({ limit: 1 });
    const pageToken = first.nextPageToken;
    const second = await list({ limit: 1, pageToken });
    expect(second.nextPageToken).toBeNull();
    expect([...first.items, ...second.items]).toMatchObject(
      sent.map(({ id, threadId }) => ({
        id,
        threadId,
        mailbox: own.address,
        hasAttachments: false,
      })),
    );
    expect(first.items[0]?.bcc).toEqual([{ email: 'b@c.example', name: 'B' }]);
  });

  it('is given a name below its own domain without a proof, and no other name', async () => {
    const label = randomUUID();
    const state = async (name: string, tenantId: string) =>
      (
        await service.call<DomainAnswer>(
          domains.create,
          { name },
          { caller: anAdmin({ tenantId }) },
        )
      ).body.domain.state;
    const own = `${label}.sandbox.invalid`;
    expect(await state(own, newId('ten'))).toBe('pending');
    expect(await state(`${label}.example`, mailbox.tenantId)).toBe('pending');
    expect(await state(own, mailbox.tenantId)).toBe('verified');
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
