import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  conversations,
  newId,
  type CommentAnswer,
  type ListedConversation,
} from '@postroom/contracts';
import { aKey, anAdmin } from '@postroom/service-testing';
import { Deliveries } from '../testing/arrivals.js';
import { MailService, type Answer, type MailboxOf } from '../testing/mail-service.js';

let service: MailService;
let deliveries: Deliveries;
let mailbox: MailboxOf;
let id: string;

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
  id = await deliveries.place(mailbox, { messageId: 'a' });
});

const row = async (): Promise<{ placement: string; version: number }> => {
  const query = 'SELECT placement, version FROM conversations WHERE id = $1';
  const { rows } = await service.admin.query<{ placement: string; version: number }>(query, [id]);
  if (!rows[0]) throw new Error(`no conversation ${id}`);
  return rows[0];
};

/** Calls that name a conversation which does not exist for them; each must answer the same. */
const strangers = async (): Promise<[MailboxOf, string][]> => [
  [mailbox, newId('cnv')],
  [await service.mailbox({ tenantId: mailbox.tenantId }), id],
  [{ ...mailbox, caller: aKey() }, id],
  [{ ...mailbox, address: 'nobody@acme.test' }, id],
];

describe.each(['archive', 'reopen'] as const)('conversations.%s', (action) => {
  const call = ({ address, caller }: MailboxOf, of: string, preview = false): Promise<Answer> =>
    service.call(conversations[action], { id: of, mailbox: address }, { caller, preview });
  const placement = action === 'archive' ? 'archived' : 'inbox';
  const before = action === 'archive' ? 'inbox' : 'archived';
  const result = {
    ...{ action, applied: true, version: 2 },
    ...(action === 'reopen' && { inbox: true }),
  };

  beforeEach(() =>
    service.admin.query('UPDATE conversations SET placement = $1 WHERE id = $2', [before, id]),
  );

  it('moves the conversation and says so', async () => {
    const { status, body } = await call(mailbox, id);
    expect([status, body]).toEqual([200, { ok: true, id, result }]);
    expect(await row()).toEqual({ placement, version: 2 });
  });

  it('repeated answers the same and changes nothing', async () => {
    const first = await call(mailbox, id);
    const second = await call(mailbox, id);
    expect([second.status, second.text]).toEqual([200, first.text]);
    expect(await row()).toEqual({ placement, version: 2 });
  });

  it('is done to the version that was read, and to no other', async () => {
    const ask = (ifMatch: number) =>
      service.call(
        ...([conversations[action], { id, mailbox: mailbox.address, ifMatch }] as const),
        { caller: mailbox.caller },
      );
    expect(await ask(0)).toMatchObject({ status: 409, problem: 'VERSION_CONFLICT' });
    expect(await row()).toEqual({ placement: before, version: 1 });
    expect((await ask(1)).status).toBe(200);
  });

  it.each(['trash', 'spam'])('leaves a conversation in %s', async (place) => {
    await service.admin.query('UPDATE conversations SET placement = $1 WHERE id = $2', [place, id]);
    expect((await call(mailbox, id)).status).toBe(200);
    expect(await row()).toEqual({ placement: place, version: 1 });
  });

  it('emits nothing but the notice for members, and is in the audit record', async () => {
    await call(mailbox, id);
    await call(mailbox, id);
    expect(await service.events(mailbox)).toEqual([]);
    const type = action === 'archive' ? 'conversation.archived' : 'conversation.reopened';
    expect(await service.notices(mailbox)).toEqual([
      { type, conversation: { id, mailbox: mailbox.address } },
    ]);
    const found = (await service.audit(mailbox)).filter(({ subjectId }) => subjectId === id);
    const entry = { action: `conversations.${action}`, subjectId: id, actorType: 'key' };
    expect(found).toMatchObject([entry, entry]);
  });

  it('as a preview changes nothing', async () => {
    const { body } = await call(mailbox, id, true);
    expect(body).toEqual({
      target: { type: 'conversation', id, version: 1 },
      within: { type: 'mailbox', id: mailbox.address },
      title: expect.any(String),
      difference: { before: { placement: before }, after: { placement } },
    });
    expect(await row()).toEqual({ placement: before, version: 1 });
  });

  it('answers CONVERSATION_NOT_FOUND for one that is not in the mailbox', async () => {
    for (const [where, of] of await strangers()) {
      const { status, problem } = await call(where, of);
      expect([status, problem]).toEqual([404, 'CONVERSATION_NOT_FOUND']);
    }
    expect(await row()).toEqual({ placement: before, version: 1 });
  });
});

describe('conversations.comment', () => {
  interface Options {
    readonly where?: MailboxOf;
    readonly of?: string;
    readonly key?: string;
    readonly preview?: boolean;
  }

  const comment = (
    text: string,
    { where = mailbox, of = id, key = newId('req'), preview = false }: Options = {},
  ): Promise<Answer<CommentAnswer>> =>
    service.call(
      conversations.comment,
      { id: of, mailbox: where.address, text },
      { caller: where.caller, idempotencyKey: key, preview },
    );

  const item = async (): Promise<ListedConversation | undefined> =>
    (await service.list(mailbox))[0];

  it('writes the comment in the name of the key', async () => {
    const member = { id: newId('mbr'), email: 'ada@acme.test' };
    const caller = aKey({ tenantId: mailbox.tenantId, name: 'Robot', member });
    const text = ' a\r\n\tb \u202eש\u200d👩‍👧 é e\u0301 <b>&amp;</b>\n';
    const { status, body } = await comment(text, { where: { ...mailbox, caller } });
    expect(status).toBe(200);
    expect(body).toEqual({
      ok: true,
      id,
      result: {
        id: expect.stringMatching(/^cmt_/),
        author: { type: 'key', id: caller.keyId, name: 'Robot', email: 'ada@acme.test' },
        text,
        createdAt: expect.stringMatching(/Z$/),
      },
    });
  });

  it('writes the comment in the name of a member', async () => {
    const caller = anAdmin({ tenantId: mailbox.tenantId });
    const { memberId, name, email } = caller;
    const { body } = await comment('Mine', { where: { ...mailbox, caller } });
    expect(body.result.author).toEqual({ type: 'member', id: memberId, name, email });
  });

  it('counts it on the conversation, and moves nothing in the list', async () => {
    const before = await item();
    const { body } = await comment('One');
    expect(await item()).toEqual({
      ...before,
      commentCount: 1,
      version: 2,
      updatedAt: body.result.createdAt,
    });
  });

  it('emits conversation.commented with both, numbered without a gap', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => comment(`No. ${i}`)));
    const events = await service.events(mailbox);
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const last = events[7];
    expect(last).toMatchObject({
      type: 'conversation.commented',
      resource: { type: 'conversation', id },
      actor: { type: 'key' },
      source: 'api',
      previous: null,
    });
    const { contact: _, ...conversation } = (await item()) as ListedConversation;
    expect(last?.data).toEqual({ conversation, comment: expect.anything() });
    const told = events.map(({ data }) => ('comment' in data ? data.comment : null));
    expect(told).toEqual(expect.arrayContaining(answers.map(({ body }) => body.result)));
  });

  it('answers CONVERSATION_NOT_FOUND, leaves nothing, and frees the Idempotency-Key', async () => {
    const key = newId('req');
    for (const [where, of] of await strangers()) {
      const { status, problem } = await comment('Hello?', { where, of, key });
      expect([status, problem]).toEqual([404, 'CONVERSATION_NOT_FOUND']);
    }
    expect(await service.count('comments', mailbox)).toBe(0);
    expect((await comment('Hello!', { key })).status).toBe(200);
  });
});
