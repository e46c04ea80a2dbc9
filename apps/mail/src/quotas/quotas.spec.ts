import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  drafts,
  mailboxes,
  mailQuotas,
  type DraftAnswer,
  type MailboxAnswer,
  type MailQuotas,
} from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { MailService, type Answer, type MailboxOf } from '../testing/mail-service.js';

const access = 'workspace';

describe('a quota', () => {
  let service: MailService;
  let mailbox: MailboxOf;

  beforeAll(async () => {
    service = await MailService.start({ QUOTA_MAILBOXES: '2', QUOTA_DRAFTS: '3' });
    mailbox = await service.mailbox();
  });
  afterAll(() => service.close());

  const usage = async (): Promise<MailQuotas> => {
    const caller = anAdmin({ tenantId: mailbox.tenantId });
    return (await service.call<MailQuotas>(mailQuotas.read, {}, { caller })).body;
  };
  const draft = ({ address, caller }: MailboxOf): Promise<Answer<DraftAnswer>> =>
    service.call<DraftAnswer>(drafts.create, { mailbox: address, draft: {} }, { caller });

  it('refuses a mailbox too many, until one is deleted', async () => {
    const { tenantId } = mailbox;
    const caller = anAdmin({ tenantId });
    const another = (n: number): Promise<Answer<MailboxAnswer>> => {
      const input = { address: `${n}-${mailbox.address}`, automation: true, access };
      return service.call<MailboxAnswer>(mailboxes.create, input, { caller });
    };
    const answers = await Promise.all([1, 2, 3, 4].map(another));
    const made = answers.filter(({ status }) => status === 201);
    expect(answers.filter(({ problem }) => problem === 'QUOTA_EXCEEDED')).toHaveLength(3);
    expect(made).toHaveLength(1);
    expect((await usage()).mailboxes).toEqual({ limit: 2, used: 2 });
    await service.call(mailboxes.remove, { id: made[0]?.body.mailbox.id ?? '' }, { caller });
    expect((await another(5)).status).toBe(201);
  });

  it('refuses a draft too many, of this workspace alone', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => draft(mailbox)));
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(3);
    expect(answers.filter(({ problem }) => problem === 'QUOTA_EXCEEDED')).toHaveLength(5);
    expect((await usage()).drafts).toEqual({ limit: 3, used: 3 });
    expect((await draft(await service.mailbox())).status).toBe(201);
    const { id } = made[0]?.body.draft ?? { id: '' };
    const named = { id, mailbox: mailbox.address };
    await service.call(drafts.remove, named, { caller: mailbox.caller });
    expect((await usage()).drafts.used).toBe(2);
    expect((await draft(mailbox)).status).toBe(201);
  });
});
