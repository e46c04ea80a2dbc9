import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mailboxes, newId, type Mailbox, type MailboxAnswer } from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { MailService } from '../testing/mail-service.js';
import { AccountLogins } from './index.js';

let service: MailService;
const caller = anAdmin();
const { tenantId } = caller;

beforeAll(async () => {
  service = await MailService.start();
});

afterAll(() => service.close());

const imap = { host: 'imap.acme.test', port: 993, secure: true, user: 'ada', password: 'one' };

async function aMailbox(given: object): Promise<Mailbox> {
  const address = `${newId('mbx').toLowerCase()}@acme.test`;
  const input = { address, automation: true, access: 'workspace' as const, ...given };
  const { body } = await service.call<MailboxAnswer>(mailboxes.create, input, { caller });
  return body.mailbox;
}

const change = (id: string, given: object): Promise<unknown> =>
  service.call(mailboxes.update, { id, ...given }, { caller });

const loginOf = (mailboxId: string, tenant = tenantId) =>
  service.service.get(AccountLogins).imap({ tenantId: tenant, mailboxId });

const noAccount = { code: 'no_account' };

describe('the login of a mailbox', () => {
  it('is there exactly where its server can be logged in to', async () => {
    const { id } = await aMailbox({ imap });
    const expected = { ...imap, accessToken: null };
    expect(await loginOf(id)).toMatchObject(expected);
    await expect(loginOf(id, anAdmin().tenantId)).rejects.toMatchObject(noAccount);
    await change(id, { imap: { ...imap, password: 'two' } });
    expect(await loginOf(id)).toMatchObject({ ...expected, password: 'two' });

    const { password: _, ...elsewhere } = { ...imap, host: 'imap.other.test' };
    await change(id, { imap: elsewhere });
    await expect(loginOf(id)).rejects.toMatchObject(noAccount);
    const without = await aMailbox({ imap: elsewhere });
    await expect(loginOf(without.id)).rejects.toMatchObject(noAccount);
    await change(without.id, { imap });
    expect(await loginOf(without.id)).toMatchObject(expected);
  });

  it('is not given for the rest of an hour in which it was refused three times, a new password is', async () => {
    const { id } = await aMailbox({ imap: { ...imap, user: 'locked' } });
    for (let refusals = 0; refusals < 3; refusals += 1) await (await loginOf(id)).refused();
    const fault = { code: 'wrong_password', retryAt: expect.any(Date) };
    await expect(loginOf(id)).rejects.toMatchObject(fault);
    await service.restart();
    await expect(loginOf(id)).rejects.toMatchObject(fault);
    await service.admin.query(`UPDATE login_refusals SET refused_at = now() - interval '1 hour'
      WHERE refused_at = (SELECT min(refused_at) FROM login_refusals)`);
    await expect(loginOf(id)).resolves.toMatchObject({ user: 'locked' });
    await (await loginOf(id)).refused();
    await expect(loginOf(id)).rejects.toMatchObject(fault);
    await change(id, { imap: { ...imap, user: 'locked', password: 'another' } });
    await expect(loginOf(id)).resolves.toMatchObject({ password: 'another' });
  });
});
