import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  bulk,
  newId,
  type BulkAnswer,
  type ChangeConversations,
  type ConversationItem,
} from '@postroom/contracts';
import { aKey, aMember } from '@postroom/service-testing';
import { Deliveries } from '../testing/arrivals.js';
import { MailService, type Answer, type MailboxOf } from '../testing/mail-service.js';

describe('bulk.change', () => {
  let service: MailService;
  let deliveries: Deliveries;
  let mailbox: MailboxOf;
  let ids: string[];

  beforeAll(async () => {
    service = await MailService.start();
    deliveries = await Deliveries.open(service.database.urls.mail);
  });
  afterAll(async () => {
    await deliveries.close();
    await service.close();
  });
  beforeEach(async () => {
    mailbox = await service.mailbox({ automation: false });
    const texts = ['One', 'Two', 'Three'];
    ids = await Promise.all(texts.map((text) => deliveries.place(mailbox, { text })));
  });

  const change = (
    given: Partial<ChangeConversations>,
    caller = aMember({ tenantId: mailbox.tenantId }),
  ): Promise<Answer<BulkAnswer>> => {
    const input = { mailbox: mailbox.address, ids, add: [], remove: [], ...given };
    return service.call<BulkAnswer>(bulk.change, input, { caller });
  };
  const rows = (): Promise<ConversationItem[]> =>
    service.rows<ConversationItem>('SELECT * FROM conversations WHERE tenant_id = $1 ORDER BY id', [
      mailbox.tenantId,
    ]);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const ada = 'ada@acme.test';

  it.each<[Partial<ChangeConversations>, object]>([
    [{ action: 'read' }, { unread: false }],
    [{ action: 'move', placement: 'trash' }, { placement: 'trash' }],
    [{ action: 'archive' }, { placement: 'archived' }],
    [
      { action: 'assign', assignee: ada, status: 'closed' },
      { assignee: ada, status: 'closed' },
    ],
    [{ action: 'labels', add: ['VIP'] }, { labels: ['VIP'] }],
  ])('%j changes each as the operation on one does, and once', async (given, after) => {
    const { status, body } = await change(given);
    const done = { ok: true, code: null, version: 2 };
    expect([status, body.results]).toEqual([200, ids.map((id) => ({ id, ...done }))]);
    expect((await change(given)).body.results).toEqual(body.results);
    expect(await rows()).toMatchObject(Array(3).fill({ ...after, version: 2 }));
    const hasEvent = given.action === 'assign' || given.action === 'labels';
    expect(await service.events(mailbox)).toHaveLength(hasEvent ? 3 : 0);
    const audited = (await service.audit(mailbox)).filter(({ action }) => action === 'bulk.change');
    expect(audited.map(({ subjectId }) => subjectId).toSorted()).toEqual(
      [...ids, ...ids].toSorted(),
    );
  });

  it('snoozes for its member, shows again, and brings back', async () => {
    const member = aMember({ tenantId: mailbox.tenantId });
    const shown = async () => {
      const { memberId: id, email } = member;
      const caller = aKey({ tenantId: mailbox.tenantId, member: { id, email } });
      return (await service.list({ ...mailbox, caller })).length;
    };
    await change({ action: 'snooze', until }, member);
    expect(await shown()).toBe(0);
    await change({ action: 'unsnooze' }, member);
    await change({ action: 'archive' }, member);
    await change({ action: 'reopen' }, member);
    expect(await shown()).toBe(3);
  });

  it('answers for each one alone: of another mailbox, of another workspace, with too many labels', async () => {
    const { tenantId } = mailbox;
    const other = await service.mailbox({ tenantId, automation: false });
    const foreign = await deliveries.place(other);
    const strange = await deliveries.place(await service.mailbox());
    const [full = '', ...rest] = ids;
    const labels = Array.from({ length: 500 }, (_, i) => `L${i}`);
    await service.rows('UPDATE conversations SET labels = $2 WHERE id = $1', [full, labels]);
    const asked = [newId('cnv'), foreign, full, strange, ...rest];
    const { body } = await change({ action: 'labels', add: ['VIP'], ids: asked });
    const code = (name: string) => ({ ok: false, code: name, version: null });
    const missing = code('CONVERSATION_NOT_FOUND');
    expect(body).toEqual({
      mailbox: mailbox.address,
      results: [missing, missing, code('TOO_MANY_LABELS'), missing]
        .map((one, i) => ({ id: asked[i], ...one }))
        .concat(rest.map((id) => ({ id, ok: true, code: null, version: 2 }) as never)),
    });
    expect(await service.events(mailbox)).toHaveLength(2);
  });

  it.each<[Partial<ChangeConversations>, string]>([
    [{ action: 'read', ids: [] }, 'ids'],
    [{ action: 'move' }, 'placement'],
    [{ action: 'labels' }, 'add'],
    [{ action: 'snooze' }, 'until'],
    [{ action: 'archive', placement: 'trash' }, 'placement'],
    [{ action: 'read', add: ['VIP'] }, 'add'],
  ])('refuses %j', (given, field) => {
    const input = { mailbox: 'support@acme.test', ids: [newId('cnv')], add: [], remove: [] };
    const faults = bulk.change.rule?.(Object.assign({}, input, given) as ChangeConversations);
    expect(faults).toMatchObject([{ field }]);
  });

  it('refuses a time that has passed, and a mailbox that is not shared with the member', async () => {
    const passed = new Date(Date.now() - 1_000).toISOString();
    const late = await change({ action: 'snooze', until: passed });
    expect([late.status, late.problem]).toEqual([400, 'INVALID_REQUEST']);
    mailbox = await service.mailbox({ tenantId: mailbox.tenantId, access: [] });
    const hidden = await change({ action: 'archive' });
    expect([hidden.status, hidden.problem]).toEqual([403, 'MAILBOX_FORBIDDEN']);
  });

  it('of the same conversations at once are all done', async () => {
    const other = [...ids].toReversed();
    const asked = Array.from({ length: 6 }, (_, i) =>
      change({ action: 'labels', add: [`L${i}`], ids: i % 2 === 0 ? ids : other }),
    );
    for (const { status } of await Promise.all(asked)) expect(status).toBe(200);
    expect((await rows()).map(({ labels }) => labels.length)).toEqual([6, 6, 6]);
  });
});
