import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { builtIns, conversations, newId, type ContainerList } from '@postroom/contracts';
import { aKey, aMember, anAdmin } from '@postroom/service-testing';
import { MailService, type MailboxOf } from '../testing/mail-service.js';

describe('a mailbox that is shared with some members', () => {
  let service: MailService;
  let mailbox: MailboxOf;

  beforeAll(async () => {
    service = await MailService.start();
    mailbox = await service.mailbox();
  });
  afterAll(() => service.close());

  const share = (access: unknown): Promise<unknown> =>
    service.rows('UPDATE mailboxes SET access = $1 WHERE id = $2', [
      JSON.stringify(access),
      mailbox.id,
    ]);

  it('is read and written by them alone, administrators or not', async () => {
    const { tenantId, address } = mailbox;
    const [one, other] = [aMember({ tenantId }), anAdmin({ tenantId })];
    const list = { mailbox: address, limit: 25, placement: 'inbox' } as const;
    const answers = async (): Promise<readonly (string | null)[]> => {
      const all = [one, other].map((caller) => service.call(conversations.list, list, { caller }));
      return (await Promise.all(all)).map(({ problem }) => problem);
    };
    expect(await answers()).toEqual([null, null]);
    await share([one.memberId]);
    expect(await answers()).toEqual([null, 'MAILBOX_FORBIDDEN']);
    const archive = { id: 'cnv_00000000000000000000000000', mailbox: address };
    const write = await service.call(conversations.archive, archive, { caller: other });
    expect(write.problem).toBe('MAILBOX_FORBIDDEN');
    expect((await service.call(conversations.list, list, { caller: mailbox.caller })).status).toBe(
      200,
    );
  });

  it('is named to the gateway as visible to them', async () => {
    const { tenantId, address } = mailbox;
    const [one, other] = [aMember({ tenantId }), aMember({ tenantId })];
    await share([one.memberId]);
    const containers = [
      { type: 'mailbox' as const, id: address },
      { type: 'mailbox' as const, id: 'nobody@acme.test' },
    ];
    const visible = async (caller: typeof one): Promise<unknown> =>
      (await service.call<ContainerList>(builtIns.mail.visible, { containers }, { caller })).body;
    expect(await visible(one)).toEqual({ containers: [{ type: 'mailbox', id: address }] });
    expect(await visible(other)).toEqual({ containers: [] });
    expect(await visible(aMember())).toEqual({ containers: [] });
  });

  it('shows its conversations to them, and to keys that it was given to', async () => {
    const { tenantId, address } = mailbox;
    const [one, other] = [aMember({ tenantId }), anAdmin({ tenantId })];
    const given = (to: string, of = tenantId) => aKey({ tenantId: of, grants: { [to]: 'read' } });
    await share([one.memberId]);
    const { id } = await service.conversation(mailbox);
    const elsewhere = await service.mailbox();
    const foreign = await service.conversation(elsewhere);
    const containers = [id, foreign.id, newId('cnv')].map((named) => ({
      ...{ type: 'conversation' as const, id: named },
    }));
    const seen = { containers: [{ type: 'conversation', id }] };
    for (const [caller, found] of [
      [one, seen],
      [other, { containers: [] }],
      [given(address), seen],
      [given(elsewhere.address), { containers: [] }],
      [given(address, elsewhere.tenantId), { containers: [] }],
    ] as const) {
      const answer = await service.call<ContainerList>(
        builtIns.mail.visible,
        { containers },
        { caller },
      );
      expect(answer.body).toEqual(found);
    }
  });
});
