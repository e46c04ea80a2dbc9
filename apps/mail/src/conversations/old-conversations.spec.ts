import { afterAll, beforeAll, expect, describe, it } from '@jest/globals';
import { conversations, drafts, mailboxes, newId, type MailboxAnswer } from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { MailService, type MailboxOf } from '../testing/mail-service.js';
import { OldConversations } from './old-conversations.js';

describe('retentionDays of a mailbox', () => {
  let service: MailService;
  beforeAll(async () => {
    service = await MailService.start();
  });
  afterAll(() => service.close());

  const keepFor = async (box: MailboxOf, retentionDays: number | null): Promise<unknown> => {
    const caller = anAdmin({ tenantId: box.tenantId });
    const input = { id: box.id, retentionDays };
    const { body } = await service.call<MailboxAnswer>(mailboxes.update, input, { caller });
    return body.mailbox.retentionDays;
  };
  const age = (days: number, ...ids: string[]) =>
    service.rows(
      `UPDATE conversations SET last_message_at = last_message_at - $1 * interval '1 day' WHERE id = ANY ($2)`,
      [days, ids],
    );
  const left = async (box: MailboxOf): Promise<readonly string[]> =>
    (await service.list(box)).map(({ id }) => id);

  it('deletes older conversations with all that is in them, and no others', async () => {
    const mailbox = await service.mailbox();
    const beside = await service.mailbox({ tenantId: mailbox.tenantId });
    const messageId = '<kept@x.test>';
    const attachments = [{ filename: 'a.txt', content: 'A' }];
    const old = await service.conversation(mailbox, { messageId, attachments });
    const young = await service.conversation(mailbox);
    const other = await service.conversation(beside);
    const { address, caller } = mailbox;
    const comment = { id: old.id, mailbox: address, text: 'Seen' };
    await service.call(conversations.comment, comment, { caller, idempotencyKey: newId('req') });
    const draft = { threadId: old.id, subject: 'Hi' };
    await service.call(drafts.create, { mailbox: address, draft }, { caller });
    await age(31, old.id, other.id);
    await age(29, young.id);
    const jobs = service.service.get(OldConversations);
    await jobs.round();
    expect(await left(mailbox)).toEqual([young.id, old.id]);
    expect(await keepFor(mailbox, 30)).toBe(30);
    await jobs.round();
    await jobs.round();
    expect([await left(mailbox), await left(beside)]).toEqual([[young.id], [other.id]]);
    const tables = [
      'messages',
      'raw_messages',
      'search_documents',
      'comments',
      'drafts',
      'attachments',
    ];
    const counts = await Promise.all(tables.map((table) => service.count(table, mailbox)));
    expect(counts).toEqual([2, 2, 2, 0, 0, 0]);
    expect(
      (await service.audit(mailbox)).filter(({ action }) => action === 'retention.purge'),
    ).toEqual([expect.objectContaining({ subjectId: `${mailbox.id} 1`, actorType: 'system' })]);
    // An answer to what was deleted begins a conversation.
    await service.send({ to: address, inReplyTo: messageId });
    expect(await left(mailbox)).toHaveLength(2);
    expect(await keepFor(mailbox, null)).toBeNull();
  });

  it('leaves what a send needs, and what is beside it is not held up', async () => {
    const mailbox = await service.mailbox();
    const { tenantId, address, caller } = mailbox;
    const ids: string[] = [];
    for (const _ of [1, 2, 3]) ids.push((await service.conversation(mailbox)).id);
    const [scheduled = '', leaving = ''] = ids;
    const draft = { mailbox: address, draft: { threadId: scheduled } };
    await service.call(drafts.create, draft, { caller });
    const send = (state: 'waiting' | 'failed') =>
      service.rows(
        `UPDATE drafts SET send_state = $2, send_at = now(), send_by = 'mbr_1',
           send_due = CASE $2 WHEN 'waiting' THEN now() + interval '1 day' END
         WHERE tenant_id = $1`,
        [tenantId, state],
      );
    await send('waiting');
    await service.rows(
      `INSERT INTO send_reservations (tenant_id, mailbox_id, idempotency_key, state, request, token,
         lease_until, message_id, outgoing, created_at, expires_at)
       VALUES ($1, $2, 'k', 'unknown', 'r', 't', now() + interval '1 day', 'm@x', $3, now(), now())`,
      [tenantId, mailbox.id, { conversationId: leaving }],
    );
    await age(31, ...ids);
    await keepFor(mailbox, 30);
    const jobs = service.service.get(OldConversations);
    await jobs.round();
    expect([...(await left(mailbox))].sort()).toEqual([scheduled, leaving].sort());
    await send('failed');
    await service.rows(`UPDATE send_reservations SET state = 'failed' WHERE tenant_id = $1`, [
      tenantId,
    ]);
    await jobs.round();
    expect(await left(mailbox)).toEqual([]);
  });
});
