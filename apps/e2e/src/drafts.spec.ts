import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Answer } from './http.js';
import { query } from './public-api.js';
import { strangerOf, withoutRequest } from './sameness.js';
import { until } from './until.js';
import {
  type ConversationItem,
  conversationOf,
  type Draft,
  draftOf,
  draftsOf,
  errorOf,
  pageOf,
  recordOf,
  versionedOf,
} from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

const path = '/v1/drafts';
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

describe('drafts', () => {
  let place: Workplace;
  let mailbox: string;
  let other: string;
  let api: OwnKey;
  let thread: ConversationItem;

  const scopes = ['read:conversations', 'write:conversations', 'drafts:write'];
  const bothOf = (...addresses: string[]) =>
    addresses.map((address) => ({ address, access: 'write' as const }));

  beforeAll(async () => {
    place = await Workplace.open('acme');
    [mailbox, other] = [await place.mailbox(), await place.mailbox()];
    api = await place.key({ scopes, mailboxes: bothOf(mailbox, other) });
    thread = await place.receive(api, mailbox);
  });

  const create = (draft: object, key?: string): Promise<Answer> =>
    api.post(path, { mailbox, draft }, key);
  const created = async (draft: object = {}): Promise<Draft> => draftOf(await create(draft));
  const patch = (id: string, draft: object, headers: Record<string, string> = {}) =>
    api.request('PATCH', `${path}/${id}`, JSON.stringify({ mailbox, draft }), headers);
  const remove = (id: string, headers: Record<string, string> = {}, of = mailbox) =>
    api.request('DELETE', `${path}/${id}?mailbox=${encodeURIComponent(of)}`, undefined, headers);
  const listed = async (of = mailbox): Promise<readonly Draft[]> =>
    draftsOf(await api.get(path, { mailbox: of, limit: 100 })).drafts;
  const draftCount = async (id = thread.id): Promise<number> =>
    conversationOf(await api.get(`/v1/conversations/${id}`, { mailbox })).draftCount;
  const fieldsAtFault = (answer: Answer): unknown => [
    answer.status,
    errorOf(answer).details?.map(({ field }) => field),
  ];

  describe('drafts.create', () => {
    it('answers 201 with the draft, every field of it', async () => {
      const answer = await create({
        to: 'Ann Lee <ann@example.com>, bob@münchen.example',
        cc: ['"Lee, Cy" <cy@example.com>'],
        bcc: [{ address: 'Di@Example.com', name: 'Di' }],
        subject: 'Your order',
        body: '<p>It is on its way.</p>',
        inReplyTo: thread.lastMessageId,
      });
      expect(answer.status).toBe(201);
      expect(recordOf(answer)).toEqual({
        draft: {
          id: expect.stringMatching(/^drf_/),
          mailbox,
          threadId: thread.id,
          inReplyTo: thread.lastMessageId,
          to: [
            { email: 'ann@example.com', name: 'Ann Lee' },
            { email: 'bob@münchen.example', name: null },
          ],
          cc: [{ email: 'cy@example.com', name: 'Lee, Cy' }],
          bcc: [{ email: 'Di@example.com', name: 'Di' }],
          subject: 'Your order',
          body: '<p>It is on its way.</p>',
          attachments: [],
          signatureId: null,
          createdBy: { type: 'key', id: api.id },
          source: 'api',
          createdAt: expect.stringMatching(/Z$/),
          updatedAt: draftOf(answer).createdAt,
          version: 1,
        },
      });
      expect((await listed())[0]).toEqual(draftOf(answer));
    });

    it('takes the whole body where there is no draft in it, and no field of either is needed', async () => {
      const root = draftOf(await api.post(path, { mailbox, subject: 'At the root', to: [] }));
      expect(root).toMatchObject({ subject: 'At the root', to: [], body: '', threadId: null });
      expect(draftOf(await api.post(path, { mailbox, subject: 'x', draft: {} })).subject).toBe('');
      expect(draftOf(await api.post(path, { mailbox })).subject).toBe('');
    });

    it('ignores what a draft does not have', async () => {
      const draft = await created({ subject: 'x', id: 'drf_x', version: 9, colour: ['red'] });
      expect(draft).toMatchObject({ subject: 'x', version: 1 });
      expect(draft).not.toHaveProperty('colour');
      expect((await api.post(path, { mailbox, colour: 'red', draft: {} })).status).toBe(201);
    });

    it('refuses more than 50 files as too large, once nothing else is wrong', async () => {
      const files = (count: number): object[] =>
        Array.from({ length: count }, () => ({ contentBase64: 'SGk=' }));
      expect((await create({ attachments: files(51) })).status).toBe(413);
      expect((await create({ attachments: files(51), subject: 1 })).status).toBe(400);
      const { attachments } = await created({ attachments: files(50) });
      expect(attachments).toHaveLength(50);
      const body = 'x'.repeat(1024 * 1024);
      expect((await create({ body })).status).toBe(413);
    });

    it('answers not found for a thread, message or signature that the mailbox does not have', async () => {
      const elsewhere = await place.receive(api, other);
      const { signature } = recordOf(
        await place.settings.post('/signatures', { name: 'x', html: '<p>x</p>', mailbox: other }),
      ) as { signature: { id: string } };
      for (const threadId of [elsewhere.id, strangerOf(thread.id), 'no-id']) {
        expect((await create({ threadId })).status).toBe(404);
      }
      for (const inReplyTo of [elsewhere.lastMessageId, 'no-id']) {
        expect((await create({ inReplyTo })).status).toBe(404);
      }
      for (const signatureId of [signature.id, strangerOf(signature.id), 'no-id']) {
        expect((await create({ signatureId })).status).toBe(404);
      }
      const second = await place.receive(api, mailbox);
      const contradiction = { threadId: second.id, inReplyTo: thread.lastMessageId };
      expect(fieldsAtFault(await create(contradiction))).toEqual([400, ['inReplyTo']]);
      const inOther = await api.post(path, { mailbox: other, signatureId: signature.id });
      expect(draftOf(inOther).signatureId).toBe(signature.id);
    });

    it('is done once for an Idempotency-Key, and refuses another draft under it', async () => {
      const key = `e2e-${randomUUID()}`;
      const draft = { subject: randomUUID(), attachments: [{ contentBase64: 'SGk=' }] };
      const first = await create(draft, key);
      const again = await create(draft, key);
      expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
      expect(again.headers['x-svc-idempotency']).toBe('hit');
      const same = (await listed()).filter(({ subject }) => subject === draft.subject);
      expect(same).toHaveLength(1);
      const reused = await create({ ...draft, body: 'x' }, key);
      expect([reused.status, reused.headers['x-svc-idempotency']]).toEqual([409, 'key-reused']);
    });
  });

  describe('drafts.update', () => {
    it('keeps what is absent, clears what is null, and counts the change', async () => {
      const { id, createdAt } = await created({ to: 'a@b.fr', subject: 'One', body: 'Text' });
      const changed = draftOf(await patch(id, { subject: 'Two', to: null }));
      expect(changed).toMatchObject({ id, to: [], subject: 'Two', body: 'Text', version: 2 });
      expect(changed.createdAt).toBe(createdAt);
      expect(Date.parse(changed.updatedAt)).toBeGreaterThanOrEqual(Date.parse(createdAt));
      const root = { mailbox, body: null };
      const again = await api.request('PATCH', `${path}/${id}`, JSON.stringify(root));
      expect(draftOf(again)).toMatchObject({ subject: 'Two', body: '', version: 3 });
      expect((await listed())[0]).toEqual(draftOf(again));
    });

    it('honours If-Match', async () => {
      const { id } = await created({ subject: 'One' });
      expect((await patch(id, { subject: 'Two' }, { 'If-Match': '1' })).status).toBe(200);
      const stale = await patch(id, { subject: 'Three' }, { 'If-Match': '1' });
      expect(stale.status).toBe(409);
      expect((await remove(id, { 'If-Match': '"1"' })).status).toBe(409);
      expect(fieldsAtFault(await patch(id, {}, { 'If-Match': 'x' }))).toEqual([400, ['If-Match']]);
      expect((await listed()).find((one) => one.id === id)).toMatchObject({ subject: 'Two' });
      expect((await remove(id, { 'If-Match': '"2"' })).status).toBe(200);
    });

    it('of nothing, or to what is there already, leaves version and time as they were', async () => {
      const given = { to: 'Ann <a@b.fr>', subject: 'One', inReplyTo: thread.lastMessageId };
      const draft = await created(given);
      for (const same of [{}, given, { attachments: [] }, { cc: null, threadId: thread.id }]) {
        expect(draftOf(await patch(draft.id, same))).toEqual(draft);
      }
      expect((await patch(draft.id, {}, { 'If-Match': '2' })).status).toBe(409);
      const file = { attachments: [{ contentBase64: 'SGk=' }] };
      expect(draftOf(await patch(draft.id, file)).version).toBe(2);
      expect(draftOf(await patch(draft.id, { attachments: [] })).version).toBe(3);
    });

    it('keeps the message it answers, and refuses a thread that is not that message’s', async () => {
      const second = await place.receive(api, mailbox);
      const draft = await created({ inReplyTo: thread.lastMessageId });
      const contradictions: readonly (readonly [object, string])[] = [
        [{ threadId: second.id }, 'inReplyTo'],
        [{ inReplyTo: second.lastMessageId }, 'inReplyTo'],
        [{ threadId: null }, 'threadId'],
      ];
      for (const [given, field] of contradictions) {
        expect(fieldsAtFault(await patch(draft.id, given))).toEqual([400, [field]]);
      }
      expect((await listed()).find(({ id }) => id === draft.id)).toEqual(draft);
      const { id: threadId, lastMessageId: inReplyTo } = second;
      expect(draftOf(await patch(draft.id, { threadId, inReplyTo }))).toMatchObject({
        ...{ threadId, inReplyTo },
      });
      const kept = draftOf(await patch(draft.id, { inReplyTo: null }));
      expect(kept).toMatchObject({ threadId, inReplyTo: null });
      expect(draftOf(await patch(draft.id, { threadId: null })).threadId).toBeNull();
    });

    it('refuses recipients that are too many with those that are there', async () => {
      const recipients = (count: number) => Array.from({ length: count }, (_, i) => `u${i}@b.fr`);
      const { id } = await created({ to: recipients(400) });
      expect(fieldsAtFault(await patch(id, { cc: recipients(101) }))).toEqual([400, ['cc']]);
      expect((await patch(id, { cc: recipients(100) })).status).toBe(200);
    });

    it('changes it in turn for writers at once, each of whose changes counts', async () => {
      const { id } = await created();
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) => patch(id, { subject: `${i}` })),
      );
      const versions = answers.map((answer) => draftOf(answer).version).sort();
      expect(versions).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
      const matching = await Promise.all(
        Array.from({ length: 8 }, (_, i) => patch(id, { subject: `M${i}` }, { 'If-Match': '9' })),
      );
      expect(matching.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(matching.filter(({ status }) => status === 409)).toHaveLength(7);
    });
  });

  it('are not listed by a token of another list, which is named', async () => {
    await Promise.all([created(), created()]);
    const { nextPageToken } = draftsOf(await api.get(path, { mailbox, limit: 1 }));
    const given = { mailbox: other, limit: 1, pageToken: nextPageToken ?? '' };
    for (const pageToken of [given.pageToken, 'x', `${given.pageToken}x`]) {
      const answer = await api.get(path, { ...given, pageToken });
      expect(fieldsAtFault(answer)).toEqual([400, ['pageToken']]);
    }
  });

  it('are counted in their conversation, wherever they are moved', async () => {
    const [one, two] = [await place.receive(api, mailbox), await place.receive(api, mailbox)];
    const counts = async () => [await draftCount(one.id), await draftCount(two.id)];
    const draft = await created({ threadId: one.id });
    const second = await created({ threadId: one.id });
    expect(await counts()).toEqual([2, 0]);
    const inList = pageOf(await api.get('/v1/conversations', { mailbox, limit: 100 }));
    expect(inList.conversations.find(({ id }) => id === one.id)).toMatchObject({ draftCount: 2 });
    await patch(draft.id, { subject: 'x' });
    expect(await counts()).toEqual([2, 0]);
    await Promise.all([
      patch(draft.id, { threadId: two.id }),
      patch(second.id, { inReplyTo: one.lastMessageId }),
    ]);
    expect(await counts()).toEqual([1, 1]);
    const moved = draftOf(await patch(second.id, { threadId: two.id, inReplyTo: null }));
    expect(moved).toMatchObject({ threadId: two.id, inReplyTo: null });
    expect(await counts()).toEqual([0, 2]);
    await patch(draft.id, { threadId: null });
    await remove(second.id);
    expect(await counts()).toEqual([0, 0]);
    await remove(second.id);
    expect(await counts()).toEqual([0, 0]);
  });

  describe('files of a draft', () => {
    const download = (id: string, key = api.key) =>
      fetch(`${place.product.baseUrl}/v1/attachments/${id}?${query({ mailbox })}`, {
        headers: { 'X-Api-Key': key },
      });

    it('are kept, with their type from their bytes, and downloaded as they came', async () => {
      const exe = Buffer.concat([Buffer.from('MZ'), Buffer.alloc(200)]);
      const given = [
        { contentBase64: png.toString('base64'), filename: 'été.png', mimeType: 'image/gif' },
        { contentBase64: exe.toString('base64'), name: 'bill.pdf', type: 'application/pdf' },
        { contentBase64: Buffer.from('a,b\n').toString('base64'), type: 'text/csv' },
        { contentBase64: '' },
      ];
      const { id, attachments } = await created({ attachments: given });
      const rest = { id: expect.stringMatching(/^att_/), inline: false, contentId: null };
      const kept = (
        filename: string | null,
        mimeType: string,
        declared: string | null,
        size = 0,
      ) => ({ ...rest, filename, mimeType, declaredMimeType: declared, size });
      expect(attachments).toEqual([
        kept('été.png', 'image/png', 'image/gif', png.length),
        kept('bill.pdf', 'application/x-msdownload', 'application/pdf', 202),
        kept(null, 'text/csv', 'text/csv', 4),
        kept(null, 'application/octet-stream', null),
      ]);
      const first = await download(attachments[0]?.id ?? '');
      expect([first.status, first.headers.get('content-type')]).toEqual([200, 'image/png']);
      expect(first.headers.get('content-disposition')).toContain(
        "filename*=UTF-8''%C3%A9t%C3%A9.png",
      );
      expect(Buffer.from(await first.arrayBuffer()).equals(png)).toBe(true);

      // Other fields leave them, files replace them all, null takes them away.
      expect(draftOf(await patch(id, { subject: 'x' })).attachments).toEqual(attachments);
      const replaced = draftOf(await patch(id, { attachments: [{ contentBase64: 'SGk=' }] }));
      expect(replaced.attachments.map(({ size }) => size)).toEqual([2]);
      expect((await download(attachments[0]?.id ?? '')).status).toBe(404);
      const [file] = replaced.attachments;
      expect(draftOf(await patch(id, { attachments: null })).attachments).toEqual([]);
      expect((await download(file?.id ?? '')).status).toBe(404);
    });

    it('are for those who may read drafts, and go with their draft', async () => {
      const { id, attachments } = await created({ attachments: [{ contentBase64: 'SGk=' }] });
      const [file] = attachments;
      const reader = await place.keyFor(mailbox, { scopes: ['read:conversations'] });
      const reading = await reader.get(`/v1/attachments/${file?.id}`, { mailbox });
      const unknown = await reader.get(`/v1/attachments/${strangerOf(file?.id ?? '')}`, {
        mailbox,
      });
      expect(reading.status).toBe(404);
      expect(withoutRequest(reading)).toEqual(withoutRequest(unknown));
      expect((await api.get(`/v1/attachments/${file?.id}`, { mailbox: other })).status).toBe(404);
      await remove(id);
      expect((await download(file?.id ?? '')).status).toBe(404);
    });
  });

  describe('drafts.list', () => {
    it('shows the last changed first, page by page', async () => {
      const box = await place.mailbox();
      const key = await place.keyFor(box, { scopes });
      const ids: string[] = [];
      for (let i = 0; i < 5; i++) {
        ids.unshift(draftOf(await key.post(path, { mailbox: box, subject: `${i}` })).id);
      }
      const first = draftsOf(await key.get(path, { mailbox: box, limit: 2 }));
      expect(first).toMatchObject({ mailbox: box, truncated: true });
      const next = { mailbox: box, limit: 100, pageToken: first.nextPageToken ?? '' };
      const rest = draftsOf(await key.get(path, next));
      expect(rest).toMatchObject({ truncated: false, nextPageToken: null });
      expect([...first.drafts, ...rest.drafts].map(({ id }) => id)).toEqual(ids);
      const touched = ids[3] ?? '';
      const change = JSON.stringify({ mailbox: box, draft: { body: 'x' } });
      await key.request('PATCH', `${path}/${touched}`, change);
      const again = draftsOf(await key.get(path, { mailbox: box }));
      expect(again.drafts[0]?.id).toBe(touched);
      expect(again.drafts).toHaveLength(5);
    });

    it('ends a page early where it would be too much to read', async () => {
      const box = await place.mailbox();
      const key = await place.keyFor(box, { scopes });
      const body = 'x'.repeat(900_000);
      for (let i = 0; i < 6; i++) await key.post(path, { mailbox: box, body });
      const { drafts, nextPageToken } = draftsOf(await key.get(path, { mailbox: box }));
      expect(drafts).toHaveLength(4);
      const rest = await key.get(path, { mailbox: box, pageToken: nextPageToken ?? '' });
      expect(draftsOf(rest).drafts).toHaveLength(2);
    }, 30_000);
  });

  describe('drafts.remove', () => {
    it('answers ok and the id, and then not found', async () => {
      const { id } = await created();
      const answer = await remove(id);
      expect([answer.status, recordOf(answer)]).toEqual([200, { ok: true, id }]);
      expect((await remove(id)).status).toBe(404);
      expect((await patch(id, {})).status).toBe(404);
      expect((await listed()).some((draft) => draft.id === id)).toBe(false);
    });
  });

  it('of another mailbox or workspace, and unknown ones, are not found alike', async () => {
    const { id } = await created();
    const globex = await Workplace.open('globex');
    const box = await globex.mailbox();
    const stranger = await globex.keyFor(box, { scopes });
    const unknown = strangerOf(id);
    const asked = async (key: OwnKey, of: string, draft: string): Promise<unknown[]> => {
      const at = `${path}/${draft}`;
      const body = JSON.stringify({ mailbox: of, draft: { subject: 'x' } });
      return [
        await key.request('PATCH', at, body),
        await key.request('DELETE', `${at}?mailbox=${encodeURIComponent(of)}`),
      ].map(withoutRequest);
    };
    const missing = await asked(api, other, unknown);
    expect(missing).toMatchObject([{ status: 404 }, { status: 404 }]);
    expect(await asked(api, other, id)).toEqual(missing);
    expect(await asked(api, other, 'no-id')).toEqual(missing);
    expect(await asked(stranger, box, id)).toEqual(await asked(stranger, box, unknown));
    expect(await asked(stranger, mailbox, id)).toMatchObject([{ status: 403 }, { status: 403 }]);
    expect((await stranger.get(path, { mailbox })).status).toBe(403);
    expect((await listed()).find((draft) => draft.id === id)).toMatchObject({ version: 1 });
  });

  it('need their scope, a mailbox that is granted, and for a write one that may be written', async () => {
    const { id } = await created();
    const all = async (key: OwnKey): Promise<readonly number[]> => {
      const at = `${path}/${id}`;
      const body = JSON.stringify({ mailbox, draft: {} });
      const answers = [
        await key.get(path, { mailbox }),
        await key.post(path, { mailbox, draft: {} }),
        await key.request('PATCH', at, body),
        await key.request('DELETE', `${at}?mailbox=${encodeURIComponent(mailbox)}`),
      ];
      return answers.map(({ status }) => status);
    };
    const unscoped = scopes.filter((scope) => scope !== 'drafts:write');
    expect(await all(await place.keyFor(mailbox, { scopes: unscoped }))).toEqual([
      403, 403, 403, 403,
    ]);
    expect(await all(await place.keyFor(other, { scopes }))).toEqual([403, 403, 403, 403]);
    const readOnly = { mailboxes: [{ address: mailbox, access: 'read' as const }] };
    expect(await all(await place.key({ scopes, ...readOnly }))).toEqual([200, 403, 403, 403]);
    expect((await listed()).find((draft) => draft.id === id)).toMatchObject({ version: 1 });
  });

  it('of an agent wait for a person: nothing is written', async () => {
    const { id } = await created();
    const agent = await place.keyFor(mailbox, { scopes, kind: 'agent', approval: 'required' });
    const count = (await listed()).length;
    const keyed = { 'Idempotency-Key': `e2e-${randomUUID()}` };
    const at = `${path}/${id}`;
    const body = JSON.stringify({ mailbox, draft: { subject: 'x' } });
    const asked = (headers: Record<string, string>) =>
      Promise.all([
        agent.request('POST', path, body, headers),
        agent.request('PATCH', at, body, headers),
        agent.request('DELETE', `${at}?mailbox=${encodeURIComponent(mailbox)}`, undefined, headers),
      ]);
    expect((await asked({})).map(({ status }) => status)).toEqual([400, 400, 400]);
    expect((await asked(keyed)).map(({ status }) => status)).toEqual([202, 202, 202]);
    expect((await agent.get(path, { mailbox })).status).toBe(200);
    const after = await listed();
    expect(after).toHaveLength(count);
    expect(versionedOf(after.find((draft) => draft.id === id)).version).toBe(1);
    const direct = await place.keyFor(mailbox, { scopes, kind: 'agent', approval: 'none' });
    expect((await direct.post(path, { mailbox, draft: {} })).status).toBe(201);
  });

  it('emit nothing and stand in the audit', async () => {
    const { id } = await created();
    await patch(id, { subject: 'x' });
    await remove(id);
    const actions = async (): Promise<unknown[]> => {
      const answer = await place.settings.get(`/audit?actor=${api.id}`);
      const items = recordOf(answer).items as { action: string; subjectId: string }[];
      return items.filter((one) => one.subjectId === id).map(({ action }) => action);
    };
    await until(async () => (await actions()).length === 3);
    expect((await actions()).sort()).toEqual(['drafts.create', 'drafts.remove', 'drafts.update']);
  }, 30_000);
});
