import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  conversations,
  drafts,
  mailboxes,
  newId,
  signatureSettings,
  type MailboxList,
} from '@postroom/contracts';
import { Database } from '@postroom/persistence';
import { anAdmin } from '@postroom/service-testing';
import { restoreMailbox } from '../index.js';
import { MailService, type Answer, type MailboxOf } from '../testing/mail-service.js';
import { Sendings } from '../testing/sending.js';

describe('mailboxes.remove', () => {
  let service: MailService;
  let database: Database;
  let mailbox: MailboxOf;

  beforeAll(async () => {
    service = await MailService.start();
    const url = service.database.urls.mail;
    database = await Database.connect({ url, schema: 'mail', entities: [] });
  });
  afterAll(async () => {
    await database.close();
    await service.close();
  });
  beforeEach(async () => {
    mailbox = await service.mailbox();
  });

  const admin = ({ tenantId }: MailboxOf) => anAdmin({ tenantId });
  const remove = (box: MailboxOf, by = admin(box), ifMatch?: number): Promise<Answer> => {
    const input = { id: box.id, ...(ifMatch !== undefined && { ifMatch }) };
    return service.call(mailboxes.remove, input, { caller: by });
  };
  const listed = async (box: MailboxOf): Promise<readonly string[]> => {
    const caller = admin(box);
    const { body } = await service.call<MailboxList>(mailboxes.list, {}, { caller });
    return body.items.map(({ id }) => id);
  };
  const replyOf = (error: { response?: string }): string => error.response ?? 'no reply';
  const page = ({ address, caller }: MailboxOf): Promise<Answer> => {
    const input = { mailbox: address, limit: 10, placement: 'all' as const };
    return service.call(conversations.list, input, { caller });
  };
  const purge = async (): Promise<void> => {
    for (;;) {
      const [row] = await database.rows<{ purged: string }>(
        { name: 'spec.purge', text: 'SELECT purge_mailboxes() AS purged' },
        [],
      );
      if (row?.purged === '0') return;
    }
  };

  it('stops it at once: in the list, for mail, for reads and for sends', async () => {
    await service.conversation(mailbox);
    expect((await remove(mailbox)).body).toEqual({ ok: true });
    expect(await listed(mailbox)).toEqual([]);
    const refused = await service.send({ to: mailbox.address }).catch(replyOf);
    expect(refused).toMatch(/^550 5\.1\.1 /);
    expect((await page(mailbox)).problem).toBe('MAILBOX_NOT_FOUND');
    expect((await new Sendings(service).create(mailbox)).problem).toBe('MAILBOX_NOT_FOUND');
    expect((await remove(mailbox)).problem).toBe('MAILBOX_NOT_FOUND');
    expect(await service.audit(mailbox)).toContainEqual(
      expect.objectContaining({ action: 'mailboxes.remove', subjectId: mailbox.id }),
    );
  });

  it('keeps its address taken', async () => {
    await remove(mailbox);
    const { address } = mailbox;
    const input = { address, automation: true, access: 'workspace' as const };
    const again = await service.call(mailboxes.create, input, { caller: admin(mailbox) });
    expect(again.problem).toBe('MAILBOX_EXISTS');
  });

  it('is undone by the operator, whole', async () => {
    const { id } = await service.conversation(mailbox);
    await remove(mailbox);
    await restoreMailbox(database, mailbox.address.toUpperCase());
    expect(await listed(mailbox)).toEqual([mailbox.id]);
    await service.send({ to: mailbox.address });
    expect((await service.list(mailbox)).map((one) => one.id)).toContain(id);
    expect(await service.audit(mailbox)).toContainEqual(
      expect.objectContaining({ action: 'mailboxes.restore', subjectId: mailbox.id }),
    );
    await expect(restoreMailbox(database, mailbox.address)).rejects.toThrow(/is deleted/);
  });

  it('deletes all that was in it after 30 days, and nothing of another', async () => {
    const beside = await service.mailbox({ tenantId: mailbox.tenantId });
    await service.conversation(beside);
    const conversation = await service.conversation(mailbox, {
      attachments: [{ filename: 'a.txt', content: 'A note' }],
    });
    const { address, caller } = mailbox;
    const named = { id: conversation.id, mailbox: address };
    await service.call(
      conversations.comment,
      { ...named, text: 'A comment' },
      { caller, idempotencyKey: newId('req') },
    );
    await service.call(
      drafts.create,
      { mailbox: address, draft: { inReplyTo: conversation.lastMessageId ?? '' } },
      { caller },
    );
    const signature = { name: 'S', html: 'S', isDefault: false, mailbox: address };
    await service.call(signatureSettings.create, signature, { caller: admin(mailbox) });
    await remove(mailbox);
    await purge();
    expect(await service.count('messages', mailbox)).toBe(2);
    await service.rows(
      `UPDATE mailboxes SET deleted_at = now() - interval '31 days' WHERE id = $1`,
      [mailbox.id],
    );
    await purge();
    const left: Record<string, number> = {};
    for (const table of ['mailboxes', 'conversations', 'messages', 'raw_messages', 'comments']) {
      left[table] = await service.count(table, mailbox);
    }
    for (const table of ['attachments', 'drafts', 'signatures', 'search_documents']) {
      left[table] = await service.count(table, mailbox);
    }
    expect(left).toEqual({
      ...{ mailboxes: 1, conversations: 1, messages: 1, raw_messages: 1, comments: 0 },
      ...{ attachments: 0, drafts: 0, signatures: 0, search_documents: 1 },
    });
    await expect(restoreMailbox(database, mailbox.id)).rejects.toThrow(/is deleted/);
    expect((await page(beside)).status).toBe(200);
  });

  it('refuses another version, and a mailbox of another workspace', async () => {
    expect((await remove(mailbox, admin(mailbox), 7)).problem).toBe('VERSION_CONFLICT');
    expect((await remove(mailbox, anAdmin())).problem).toBe('MAILBOX_NOT_FOUND');
    expect(await listed(mailbox)).toEqual([mailbox.id]);
  });
});
