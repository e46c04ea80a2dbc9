import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { auditBacklog, conversations, type AuditBacklog } from '@postroom/contracts';
import { setTimeout as sleep } from 'node:timers/promises';
import { aKey } from '../testing/callers.js';
import { MailService } from '../testing/mail-service.js';

describe('auditBacklog.count', () => {
  let service: MailService;

  beforeAll(async () => {
    service = await MailService.start();
  });

  afterAll(() => service.close());

  const waiting = async (tenantId: string): Promise<number> =>
    (await service.call<AuditBacklog>(auditBacklog.count, {}, { caller: aKey({ tenantId }) })).body
      .waiting;

  it('counts the records of the workspace, in the queue and in notices, until they are taken', async () => {
    const mailbox = await service.mailbox();
    const { tenantId, address, caller } = mailbox;
    const { id } = await service.conversation(mailbox);
    const archive = () => service.call(conversations.archive, { id, mailbox: address }, { caller });
    await archive();
    expect(await waiting(tenantId)).toBe(2);
    // By then they are in a notice, which nobody takes here.
    await sleep(600);
    expect(await service.count('audit_records', { tenantId })).toBe(0);
    await archive();
    expect(await waiting(tenantId)).toBe(3);
    await service.admin.query('DELETE FROM outbox WHERE tenant_id = $1', [tenantId]);
    await service.admin.query('DELETE FROM audit_records WHERE tenant_id = $1', [tenantId]);
    expect(await waiting(tenantId)).toBe(0);
    expect(await waiting(aKey().tenantId)).toBe(0);
  });
});
