import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  conversations,
  drafts,
  mailboxes,
  type CommentAnswer,
  type DraftAnswer,
  type MailboxAnswer,
  type Quotas,
} from '@postroom/contracts';
import { runMaintenance } from '@postroom/operations';
import { Database } from '@postroom/persistence';
import { anAdmin } from '@postroom/service-testing';
import { maintenanceJobs } from './mail-app.js';
import { MailService, type Answer, type MailboxOf } from './testing/mail-service.js';

const access = 'workspace';

describe('a quota', () => {
  let service: MailService;
  let mailbox: MailboxOf;

  beforeAll(async () => {
    service = await MailService.start({ QUOTA_MAILBOXES: '2', QUOTA_DRAFTS: '3' });
    mailbox = await service.mailbox();
  });
  afterAll(() => service.close());

  const usage = async (): Promise<Quotas> =>
    (await service.usage(anAdmin({ tenantId: mailbox.tenantId }))) as Quotas;
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

describe('the quota of comments', () => {
  let service: MailService;
  let database: Database;
  let mailbox: MailboxOf;

  beforeAll(async () => {
    service = await MailService.start({ QUOTA_COMMENTS: '3' });
    const url = service.database.urls.mail;
    database = await Database.connect({ url, schema: 'mail', entities: [] });
    mailbox = await service.mailbox();
  });
  afterAll(async () => {
    await database.close();
    await service.close();
  });

  const minute = (): Promise<void> => runMaintenance(database, maintenanceJobs);
  const comment = async ({ address, caller }: MailboxOf, id: string) => {
    const input = { id, mailbox: address, text: 'On it.' };
    return service.call<CommentAnswer>(conversations.comment, input, { caller });
  };
  const used = async ({ tenantId }: MailboxOf): Promise<unknown> =>
    (await service.usage(anAdmin({ tenantId }))).comments;

  it('refuses one too many, a minute later, in this workspace alone', async () => {
    const { id } = await service.conversation(mailbox);
    for (let n = 1; n <= 4; n++) {
      expect((await comment(mailbox, id)).status).toBe(200);
      expect(await used(mailbox)).toEqual({ limit: 3, used: n });
    }
    await minute();
    expect(await used(mailbox)).toEqual({ limit: 3, used: 4 });
    expect(await comment(mailbox, id)).toMatchObject({ status: 409, problem: 'QUOTA_EXCEEDED' });
    await minute();
    expect(await used(mailbox)).toEqual({ limit: 3, used: 4 });
    const other = await service.mailbox();
    expect((await comment(other, (await service.conversation(other)).id)).status).toBe(200);
  });

  it('has room again when a mailbox was purged with its comments', async () => {
    const caller = anAdmin({ tenantId: mailbox.tenantId });
    const rest = await service.mailbox({ tenantId: mailbox.tenantId });
    const { id } = await service.conversation(rest);
    await service.call(mailboxes.remove, { id: mailbox.id }, { caller });
    expect(await comment(rest, id)).toMatchObject({ problem: 'QUOTA_EXCEEDED' });
    await service.admin.query(
      `UPDATE mailboxes SET deleted_at = now() - interval '31 days' WHERE id = $1`,
      [mailbox.id],
    );
    await minute();
    expect(await used(mailbox)).toEqual({ limit: 3, used: 0 });
    expect((await comment(rest, id)).status).toBe(200);
  });
});
