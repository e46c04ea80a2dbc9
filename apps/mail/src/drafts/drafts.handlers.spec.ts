import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  attachments,
  drafts,
  newId,
  scopeNames,
  signatureSettings,
  type CreateDraft,
  type Draft,
  type DraftAnswer,
  type DraftPage,
  type SignatureAnswer,
} from '@postroom/contracts';
import { aKey, anAdmin } from '@postroom/service-testing';
import { MailService, type Answer, type MailboxOf } from '../testing/mail-service.js';

const file = { contentBase64: 'SGk=', filename: 'hi.txt', mimeType: 'text/plain' };
const base64 = (content: string | Buffer): string => Buffer.from(content).toString('base64');
type Given = CreateDraft['draft'];

describe('drafts', () => {
  let service: MailService;
  beforeAll(async () => {
    service = await MailService.start();
  });
  afterAll(() => service.close());

  const tryCreate = ({ address, caller }: MailboxOf, draft: Given = {}, options = {}) =>
    service.call<DraftAnswer>(drafts.create, { mailbox: address, draft }, { caller, ...options });
  const create = async (mailbox: MailboxOf, draft: Given = {}): Promise<Draft> => {
    const answer = await tryCreate(mailbox, draft);
    expect(answer.problem).toBeNull();
    return answer.body.draft;
  };
  const page = async ({ address, caller }: MailboxOf, given = {}): Promise<Answer<DraftPage>> =>
    service.call<DraftPage>(drafts.list, { mailbox: address, limit: 100, ...given }, { caller });
  const list = async (mailbox: MailboxOf): Promise<readonly Draft[]> =>
    (await page(mailbox)).body.drafts;
  const tryUpdate = ({ address, caller }: MailboxOf, id: string, draft: Given, ifMatch?: number) =>
    service.call<DraftAnswer>(
      drafts.update,
      { id, mailbox: address, draft, ...(ifMatch !== undefined && { ifMatch }) },
      { caller },
    );
  const update = async (mailbox: MailboxOf, id: string, draft: Given): Promise<Draft> => {
    const answer = await tryUpdate(mailbox, id, draft);
    expect(answer.problem).toBeNull();
    return answer.body.draft;
  };
  const remove = ({ address, caller }: MailboxOf, id: string, ifMatch?: number) =>
    service.call(
      drafts.remove,
      { id, mailbox: address, ...(ifMatch !== undefined && { ifMatch }) },
      { caller },
    );
  const download = ({ address, caller }: MailboxOf, id = '') =>
    service.call<object>(attachments.get, { id, mailbox: address }, { caller });
  const atFault = (field: string) => ({ status: 400, body: { violations: [{ field }] } });
  const people = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ email: `u${i}@b.fr`, name: null }));

  it('are answered with every field, and listed so', async () => {
    const mailbox = await service.mailbox();
    const { id: threadId, lastMessageId: inReplyTo } = await service.conversation(mailbox);
    const given = {
      to: [{ email: 'ann@example.com', name: 'Ann Lee' }, ...people(1)],
      cc: [{ email: 'cy@example.com', name: 'Lee, Cy' }],
      bcc: [{ email: 'Di@example.com', name: 'Di' }],
      subject: 'Your order',
      body: '<p>It is on its way.</p>',
    };
    const draft = await create(mailbox, { ...given, inReplyTo });
    expect(draft).toEqual({
      ...{ ...given, id: expect.stringMatching(/^drf_/), mailbox: mailbox.address },
      ...{ threadId, inReplyTo, attachments: [], signatureId: null, source: 'api', version: 1 },
      scheduled: null,
      createdBy: { type: 'key', id: 'keyId' in mailbox.caller && mailbox.caller.keyId },
      ...{ createdAt: expect.stringMatching(/Z$/), updatedAt: draft.createdAt },
    });
    expect(await list(mailbox)).toEqual([draft]);
  });

  it('name nothing that the mailbox does not have', async () => {
    const mailbox = await service.mailbox();
    const other = await service.mailbox({ tenantId: mailbox.tenantId });
    const elsewhere = await service.conversation(other);
    const made = await service.call<SignatureAnswer>(
      signatureSettings.create,
      { name: 'x', html: '<p>x</p>', mailbox: other.address, isDefault: false },
      { caller: anAdmin(mailbox) },
    );
    const { id: signatureId } = made.body.signature;
    const unknown: readonly (readonly [Given, string])[] = [
      ...[elsewhere.id, newId('cnv')].map((threadId) => [{ threadId }, 'CONVERSATION'] as const),
      [{ inReplyTo: elsewhere.lastMessageId }, 'MESSAGE'],
      ...[signatureId, newId('sig')].map((id) => [{ signatureId: id }, 'SIGNATURE'] as const),
    ];
    for (const [given, what] of unknown)
      expect(await tryCreate(mailbox, given)).toMatchObject({ problem: `${what}_NOT_FOUND` });
    expect((await create(other, { signatureId })).signatureId).toBe(signatureId);
    const first = await service.conversation(mailbox);
    const { id: threadId } = await service.conversation(mailbox);
    const answer = await tryCreate(mailbox, { threadId, inReplyTo: first.lastMessageId });
    expect(answer).toMatchObject(atFault('inReplyTo'));
  });

  it('keep what is absent, clear what is null, and count the changes', async () => {
    const mailbox = await service.mailbox();
    const { id, createdAt } = await create(mailbox, { to: people(1), subject: 'One', body: 'x' });
    const changed = await update(mailbox, id, { subject: 'Two', to: null });
    expect(changed).toMatchObject({ to: [], subject: 'Two', body: 'x', version: 2, createdAt });
    expect(Date.parse(changed.updatedAt)).toBeGreaterThanOrEqual(Date.parse(createdAt));
    const root = { id, mailbox: mailbox.address, body: null };
    await service.call(drafts.update, root, { caller: mailbox.caller });
    expect(await list(mailbox)).toMatchObject([{ subject: 'Two', body: '', version: 3 }]);
  });

  it('are changed and removed under the version that was read, and under no other', async () => {
    const mailbox = await service.mailbox();
    const { id } = await create(mailbox);
    const conflict = { status: 409, problem: 'VERSION_CONFLICT' };
    expect((await tryUpdate(mailbox, id, { subject: 'Two' }, 1)).status).toBe(200);
    expect(await tryUpdate(mailbox, id, { subject: 'Three' }, 1)).toMatchObject(conflict);
    expect(await remove(mailbox, id, 1)).toMatchObject(conflict);
    expect(await list(mailbox)).toMatchObject([{ subject: 'Two' }]);
    expect(await remove(mailbox, id, 2)).toMatchObject({ status: 200, body: { ok: true, id } });
    expect(await remove(mailbox, id)).toMatchObject({ problem: 'DRAFT_NOT_FOUND' });
    expect(await tryUpdate(mailbox, id, {})).toMatchObject({ problem: 'DRAFT_NOT_FOUND' });
    expect(await list(mailbox)).toEqual([]);
  });

  it('keep version and time where nothing changes', async () => {
    const mailbox = await service.mailbox();
    const { id: threadId, lastMessageId: inReplyTo } = await service.conversation(mailbox);
    const given = { to: people(1), subject: 'One', inReplyTo };
    const draft = await create(mailbox, given);
    for (const same of [{}, given, { attachments: [] }, { cc: null, threadId }])
      expect(await update(mailbox, draft.id, same)).toEqual(draft);
    expect((await tryUpdate(mailbox, draft.id, {}, 2)).status).toBe(409);
    expect((await update(mailbox, draft.id, { attachments: [file] })).version).toBe(2);
    expect((await update(mailbox, draft.id, { attachments: [] })).version).toBe(3);
  });

  it('keep the message that they answer, and are in no other thread than it', async () => {
    const mailbox = await service.mailbox();
    const { lastMessageId } = await service.conversation(mailbox);
    const other = await service.conversation(mailbox);
    const draft = await create(mailbox, { inReplyTo: lastMessageId });
    for (const [given, field] of [
      [{ threadId: other.id }, 'inReplyTo'],
      [{ inReplyTo: other.lastMessageId }, 'inReplyTo'],
      [{ threadId: null }, 'threadId'],
    ] as const)
      expect(await tryUpdate(mailbox, draft.id, given)).toMatchObject(atFault(field));
    expect(await list(mailbox)).toEqual([draft]);
    const there = { threadId: other.id, inReplyTo: other.lastMessageId };
    expect(await update(mailbox, draft.id, there)).toMatchObject(there);
    const kept = await update(mailbox, draft.id, { inReplyTo: null });
    expect(kept).toMatchObject({ threadId: other.id, inReplyTo: null });
    expect((await update(mailbox, draft.id, { threadId: null })).threadId).toBeNull();
  });

  it('have 500 recipients at most, with those that are there', async () => {
    const mailbox = await service.mailbox();
    const { id } = await create(mailbox, { to: people(400) });
    expect(await tryUpdate(mailbox, id, { cc: people(101) })).toMatchObject(atFault('cc'));
    expect((await tryUpdate(mailbox, id, { cc: people(100) })).status).toBe(200);
  });

  it('are changed in turn by writers at once, each of whose changes counts', async () => {
    const mailbox = await service.mailbox();
    const { id } = await create(mailbox);
    const eight = Array.from({ length: 8 }, (_, i) => `${i}`);
    const changed = await Promise.all(eight.map((subject) => update(mailbox, id, { subject })));
    expect(changed.map(({ version }) => version).sort()).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    const matching = await Promise.all(
      eight.map((subject) => tryUpdate(mailbox, id, { subject: `M${subject}` }, 9)),
    );
    expect(matching.map(({ status }) => status).sort()).toEqual([
      200,
      ...Array<number>(7).fill(409),
    ]);
  });

  it('are counted in their conversation, wherever they are moved', async () => {
    const mailbox = await service.mailbox();
    const [one, two] = [await service.conversation(mailbox), await service.conversation(mailbox)];
    const counts = async () => {
      const all = new Map((await service.list(mailbox)).map((item) => [item.id, item.draftCount]));
      return [all.get(one.id), all.get(two.id)];
    };
    const draft = await create(mailbox, { threadId: one.id });
    const second = await create(mailbox, { threadId: one.id });
    expect(await counts()).toEqual([2, 0]);
    for (const [threadId, ids] of [
      [one.id, [second.id, draft.id]],
      [two.id, []],
    ] as const)
      expect((await page(mailbox, { threadId })).body.drafts.map(({ id }) => id)).toEqual(ids);
    await update(mailbox, draft.id, { subject: 'x' });
    expect(await counts()).toEqual([2, 0]);
    await Promise.all([
      update(mailbox, draft.id, { threadId: two.id }),
      update(mailbox, second.id, { inReplyTo: one.lastMessageId }),
    ]);
    expect(await counts()).toEqual([1, 1]);
    await update(mailbox, second.id, { threadId: two.id, inReplyTo: null });
    expect(await counts()).toEqual([0, 2]);
    await update(mailbox, draft.id, { threadId: null });
    for (let times = 0; times < 2; times++) {
      await remove(mailbox, second.id);
      expect(await counts()).toEqual([0, 0]);
    }
  });

  it('are listed last changed first, page by page, by a token of their list alone', async () => {
    const mailbox = await service.mailbox();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift((await create(mailbox, { subject: `${i}` })).id);
    const { body: first } = await page(mailbox, { limit: 2 });
    expect(first).toMatchObject({ mailbox: mailbox.address, truncated: true });
    const pageToken = first.nextPageToken ?? '';
    const { body: rest } = await page(mailbox, { pageToken });
    expect(rest).toMatchObject({ truncated: false, nextPageToken: null });
    expect([...first.drafts, ...rest.drafts].map(({ id }) => id)).toEqual(ids);
    const touched = ids[3] ?? '';
    await update(mailbox, touched, { body: 'x' });
    const again = await list(mailbox);
    expect([again[0]?.id, again.length]).toEqual([touched, 5]);
    const other = await service.mailbox({ tenantId: mailbox.tenantId });
    for (const token of [pageToken, 'x', `${pageToken}x`]) {
      const answer = await page(other, { pageToken: token });
      expect(answer).toMatchObject({ status: 400, problem: 'INVALID_PAGE_TOKEN' });
    }
  });

  it('end a page early where it would be too much to read', async () => {
    const mailbox = await service.mailbox();
    for (let i = 0; i < 6; i++) await create(mailbox, { body: 'x'.repeat(900_000) });
    const { body } = await page(mailbox);
    expect(body.drafts).toHaveLength(4);
    const rest = await page(mailbox, { pageToken: body.nextPageToken ?? '' });
    expect(rest.body.drafts).toHaveLength(2);
  });

  it('have files with the type that their bytes show, which are replaced whole', async () => {
    const mailbox = await service.mailbox();
    const exe = Buffer.concat([Buffer.from('MZ'), Buffer.alloc(200)]);
    const json = { kept: 'été' };
    const { id, attachments: kept } = await create(mailbox, {
      attachments: [
        {
          contentBase64: base64(JSON.stringify(json)),
          filename: 'été.json',
          mimeType: 'image/gif',
        },
        { contentBase64: base64(exe), filename: 'bill.pdf', mimeType: 'application/pdf' },
        { contentBase64: base64('a,b\n'), filename: null, mimeType: 'text/csv' },
        { contentBase64: '', filename: null, mimeType: null },
      ],
    });
    expect(kept.map((one) => [one.filename, one.declaredMimeType, one.mimeType, one.size])).toEqual(
      [
        ['été.json', 'image/gif', expect.stringMatching(/^(application\/json|text\/plain)$/), 16],
        ['bill.pdf', 'application/pdf', 'application/x-msdownload', 202],
        [null, 'text/csv', 'text/csv', 4],
        [null, null, 'application/octet-stream', 0],
      ],
    );
    expect(kept[0]).toMatchObject({
      ...{ id: expect.stringMatching(/^att_/), inline: false, contentId: null },
    });
    const first = await download(mailbox, kept[0]?.id);
    expect([first.status, JSON.parse(first.text)]).toEqual([200, json]);
    expect(first.headers['content-disposition']).toContain("filename*=UTF-8''%C3%A9t%C3%A9.json");

    expect((await update(mailbox, id, { subject: 'x' })).attachments).toEqual(kept);
    const { attachments: replaced } = await update(mailbox, id, { attachments: [file] });
    expect(replaced.map(({ size }) => size)).toEqual([2]);
    expect((await update(mailbox, id, { attachments: null })).attachments).toEqual([]);
    for (const [gone] of [kept, replaced])
      expect(await download(mailbox, gone?.id)).toMatchObject({ problem: 'ATTACHMENT_NOT_FOUND' });
  });

  it('have files for those who may read drafts, and of their mailbox, until they are removed', async () => {
    const mailbox = await service.mailbox();
    const { tenantId } = mailbox;
    const given = { ...file, contentBase64: base64('{}') };
    const { id, attachments: kept } = await create(mailbox, { attachments: [given] });
    const scopes = scopeNames.filter((scope) => scope !== 'drafts:write');
    const hidden = { ...mailbox, caller: aKey({ tenantId, scopes }) };
    const unknown = await download(mailbox, newId('att'));
    expect(unknown).toMatchObject({ status: 404, problem: 'ATTACHMENT_NOT_FOUND' });
    expect((await download(mailbox, kept[0]?.id)).status).toBe(200);
    for (const from of [hidden, await service.mailbox({ tenantId })])
      expect((await download(from, kept[0]?.id)).text).toBe(unknown.text);
    await remove(mailbox, id);
    expect((await download(mailbox, kept[0]?.id)).text).toBe(unknown.text);
  });

  it('previewed leave nothing behind', async () => {
    const mailbox = await service.mailbox();
    const { id: threadId } = await service.conversation(mailbox);
    const preview = await tryCreate(mailbox, { threadId, attachments: [file] }, { preview: true });
    expect(preview.body).toMatchObject({
      target: null,
      within: { type: 'mailbox', id: mailbox.address },
      difference: { before: null, after: { threadId, attachments: [{ size: 2 }] } },
    });
    expect(await list(mailbox)).toEqual([]);
    const [conversation] = await service.list(mailbox);
    expect(conversation).toMatchObject({ draftCount: 0 });
    for (const table of ['drafts', 'draft_files'])
      expect(await service.count(table, mailbox)).toBe(0);
    const refused = await tryCreate(mailbox, { threadId: newId('cnv') }, { preview: true });
    expect(refused.problem).toBe('CONVERSATION_NOT_FOUND');
  });

  it('say who began them, and where', async () => {
    const mailbox = await service.mailbox();
    const { tenantId } = mailbox;
    const member = anAdmin({ tenantId });
    const assistant = aKey({ tenantId, source: 'mcp' });
    const begun = async (caller: MailboxOf['caller'] | typeof member) => {
      const { createdBy, source } = (await tryCreate(mailbox, {}, { caller })).body.draft;
      return { createdBy, source };
    };
    expect(await begun(member)).toEqual({
      createdBy: { type: 'member', id: member.memberId },
      source: 'app',
    });
    expect(await begun(assistant)).toEqual({
      createdBy: { type: 'key', id: assistant.keyId },
      source: 'mcp',
    });
  });

  it('outlive their signature', async () => {
    const mailbox = await service.mailbox();
    const caller = anAdmin({ tenantId: mailbox.tenantId });
    const given = { name: 'Us', html: '<p>Us</p>', isDefault: false };
    const made = await service.call<SignatureAnswer>(signatureSettings.create, given, { caller });
    const { id: signatureId } = made.body.signature;
    const draft = await create(mailbox, { signatureId });
    expect(draft.signatureId).toBe(signatureId);
    await service.call(signatureSettings.remove, { id: signatureId }, { caller });
    expect(await list(mailbox)).toMatchObject([{ id: draft.id, signatureId: null }]);
  });

  it('of another mailbox or workspace do not exist, nor do their files', async () => {
    const mailbox = await service.mailbox();
    const stranger = await service.mailbox();
    const beside = await service.mailbox({ tenantId: mailbox.tenantId });
    const { id, attachments: files } = await create(mailbox, { attachments: [file] });
    const { caller } = stranger;
    for (const from of [{ ...mailbox, caller }, stranger, beside]) {
      const asked = [
        await tryUpdate(from, id, {}),
        await remove(from, id),
        await download(from, files[0]?.id),
      ];
      expect(asked.map(({ problem }) => problem)).toEqual([
        ...['DRAFT_NOT_FOUND', 'DRAFT_NOT_FOUND', 'ATTACHMENT_NOT_FOUND'],
      ]);
    }
    const theirs = await service.call(drafts.create, { mailbox: mailbox.address }, { caller });
    expect(theirs.problem).toBe('MAILBOX_NOT_FOUND');
    expect(await list(mailbox)).toMatchObject([{ id, version: 1 }]);
  });

  it('tell no one, and are in the audit', async () => {
    const mailbox = await service.mailbox();
    const { id } = await create(mailbox);
    const { caller, address } = mailbox;
    await service.call(drafts.update, { id, mailbox: address, draft: {} }, { caller });
    await service.call(drafts.remove, { id, mailbox: address }, { caller });
    expect(await service.events(mailbox)).toEqual([]);
    const audited = (await service.audit(mailbox)).filter(({ subjectId }) => subjectId === id);
    expect(audited.map(({ action }) => action).sort()).toEqual([
      ...['drafts.create', 'drafts.remove', 'drafts.update'],
    ]);
  });

  it('are moved between the same two conversations by many at once', async () => {
    const mailbox = await service.mailbox();
    const { caller, address } = mailbox;
    const [one, two] = [await service.conversation(mailbox), await service.conversation(mailbox)];
    const begun = await Promise.all(
      Array.from({ length: 6 }, (_, i) => create(mailbox, { threadId: i % 2 ? one.id : two.id })),
    );
    const moved = await Promise.all(
      begun.flatMap(({ id, threadId }) =>
        [one.id, two.id, threadId === one.id ? two.id : one.id].map((to) =>
          service.call(
            drafts.update,
            { id, mailbox: address, draft: { threadId: to } },
            { caller },
          ),
        ),
      ),
    );
    expect(moved.map(({ problem }) => problem)).toEqual(moved.map(() => null));
    const there = await list(mailbox);
    for (const { id, draftCount } of await service.list(mailbox)) {
      expect(draftCount).toBe(there.filter(({ threadId }) => threadId === id).length);
    }
  });
});
