import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import { conversations, newId } from '@postroom/contracts';
import { Database, statement } from '@postroom/persistence';
import { createLog } from '@postroom/service';
import { runMaintenance, startMaintenance } from '@postroom/operations';
import { MailService, type MailboxOf } from './testing/mail-service.js';

const log = createLog({ level: 'silent', format: 'json' });

describe('maintenance jobs', () => {
  let service: MailService;
  let database: Database;

  beforeAll(async () => {
    service = await MailService.start();
    const url = service.database.urls.mail;
    database = await Database.connect({ url, schema: 'mail', entities: [] });
  });

  afterAll(async () => {
    await database.close();
    await service.close();
  });

  /** Two comments, the reply to the first of which is past its time. */
  const commented = async (): Promise<MailboxOf> => {
    const mailbox = await service.mailbox();
    const { id } = await service.conversation(mailbox);
    const { address, caller } = mailbox;
    for (const text of ['old', 'new']) {
      const input = { id, mailbox: address, text };
      await service.call(conversations.comment, input, { caller, idempotencyKey: newId('req') });
    }
    await service.admin.query(
      `UPDATE replies SET expires_at = now() - interval '1 s'
       WHERE tenant_id = $1 AND body LIKE '%"old"%'`,
      [mailbox.tenantId],
    );
    return mailbox;
  };

  it('deletes replies past their time, of every workspace, and keeps the others', async () => {
    const mailboxes = [await commented(), await commented()];
    const before = await Promise.all(mailboxes.map((one) => service.count('replies', one)));
    const stop = startMaintenance(database, log, { everyMs: 20 });
    await wait(300);
    await stop();
    const after = await Promise.all(mailboxes.map((one) => service.count('replies', one)));
    expect(after).toEqual(before.map((count) => count - 1));
  });

  it('runs every job though others fail', async () => {
    const bad = ['SELECT 1 / 0', 'SELECT nothing'].map((text, at) =>
      statement(`spec.bad${at}`, text),
    );
    const mailbox = await commented();
    const before = await service.count('replies', mailbox);
    await expect(runMaintenance(database, bad)).rejects.toMatchObject({
      errors: [{ code: '22012' }, { code: '42703' }],
    });
    expect(await service.count('replies', mailbox)).toBe(before - 1);
  });

  it('does nothing more once it has been stopped', async () => {
    await startMaintenance(database, log, { everyMs: 20 })();
    const mailbox = await commented();
    const before = await service.count('replies', mailbox);
    await wait(100);
    expect(await service.count('replies', mailbox)).toBe(before);
  });
});
