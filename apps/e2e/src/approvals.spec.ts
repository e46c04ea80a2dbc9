import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { table } from '@postroom/contracts';
import { agentScopes, agentWrites, askFor, type ReadyWrite } from './agent-writes.js';
import { approvalOf, decide } from './approving.js';
import type { Answer } from './http.js';
import { SettingsApi } from './settings-api.js';
import { conversationOf, draftOf, recordOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

let place: Workplace;
let settings: SettingsApi;
let mailbox: string;
let waits: OwnKey;
let direct: OwnKey;
let writes: ReturnType<typeof agentWrites>;

beforeAll(async () => {
  place = await Workplace.open('acme');
  settings = place.settings;
  mailbox = await place.mailbox();
  const { book } = recordOf(await settings.post('/address-books', { name: randomUUID() }));
  const agent = { kind: 'agent', scopes: agentScopes, member: place.tenant.member.email };
  waits = await place.keyFor(mailbox, { ...agent, approval: 'required' });
  direct = await place.keyFor(mailbox, { ...agent, approval: 'none' });
  const bookId = (book as { id: string }).id;
  writes = agentWrites({ place, mailbox, bookId, direct });
});

const conversation = async (): Promise<string> => (await place.receive(direct, mailbox)).id;

const someDraft = async (): Promise<string> =>
  draftOf(await direct.post('/v1/drafts', { mailbox, draft: { subject: 'Before' } })).id;

const prepare = (operation: string): Promise<ReadyWrite> => {
  const write = writes[operation];
  if (!write) throw new Error(`how to ask for ${operation} is missing in agent-writes.ts`);
  return write(randomUUID());
};

const ask = (key: OwnKey, ready: ReadyWrite, idempotencyKey?: string): Promise<Answer> =>
  askFor(key, ready, {
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
  });

/** An answer without what differs between two resources: identifiers and times. */
const shape = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}/g, 'an id')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time')
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'a uuid')
      .replaceAll(/"sequence":\d+/g, '"sequence":0'),
  ) as unknown;

describe('every write of an agent that has to wait', () => {
  const eligible = table.filter(({ approval }) => approval === 'eligible').map(({ id }) => id);

  it.each(eligible)(
    '%s is filed, changes nothing, and is done like a direct one once it is approved',
    async (operation) => {
      const ready = await prepare(operation);
      expect((await ask(waits, ready)).status).toBe(400);
      const before = await ready.look();
      const key = randomUUID();
      const filed = await ask(waits, ready, key);
      expect(filed.status).toBe(202);
      expect(approvalOf(filed)).toMatchObject({ operation, state: 'pending', idempotencyKey: key });
      expect(await ready.look()).toEqual(before);
      const twin = await ask(direct, await prepare(operation), randomUUID());
      const decided = await decide(settings, approvalOf(filed), 'approve');
      const { state, result } = approvalOf(decided);
      expect([state, result?.status]).toEqual(['executed', twin.status]);
      expect(shape(result?.body)).toEqual(
        shape(JSON.parse(twin.text.replaceAll(direct.id, waits.id))),
      );
      const again = await ask(waits, ready, key);
      expect(again).toMatchObject({
        status: twin.status,
        headers: { 'x-svc-idempotency': 'hit' },
      });
      expect(JSON.parse(again.text)).toEqual(result?.body);
    },
  );

  it.each(eligible)('%s is refused at once as a direct one', async (operation) => {
    const { unknown, ...ready } = await prepare(operation);
    const bad: ReadyWrite[] = [];
    if (unknown !== undefined) bad.push({ ...ready, path: unknown });
    // A change of nothing is no fault.
    if (ready.body && ready.method === 'POST') bad.push({ ...ready, body: {} });
    for (const one of bad) {
      const answers = [await ask(waits, one, randomUUID()), await ask(direct, one, randomUUID())];
      const [first, second] = answers.map(({ status, text }) => {
        const { requestId: _, ...body } = JSON.parse(text) as { requestId: string };
        return { status, body };
      });
      expect(first?.status).toBeGreaterThanOrEqual(400);
      expect(first).toEqual(second);
    }
  });
});

describe('an approval', () => {
  const file = async (text: string): Promise<Answer> => {
    const body = { mailbox, text };
    return waits.post(`/v1/conversations/${await conversation()}/comment`, body, randomUUID());
  };

  it('is done once, with one event and one line of the audit, however often it is clicked', async () => {
    const filed = approvalOf(await file('Once.'));
    const member = await SettingsApi.signIn(place.product, place.tenant.member);
    const clicks = await Promise.all(
      [settings, member, settings, member].map((one) => decide(one, filed, 'approve')),
    );
    expect(clicks.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const id = filed.target?.id ?? '';
    const { comments } = conversationOf(await direct.get(`/v1/conversations/${id}`, { mailbox }));
    expect(comments.map(({ text }) => text)).toEqual(['Once.']);
    const audit = await settings.get('/audit?action=conversations.comment&limit=200');
    const entries = recordOf(audit)['items'] as { subjectId: string; approvedBy: string | null }[];
    for (const { subjectId, approvedBy } of entries)
      if (subjectId === id) expect(approvedBy).toMatch(/^mbr_/);
  });

  it('of a change is refused when its target has changed meanwhile', async () => {
    const id = await someDraft();
    const change = { mailbox, draft: { subject: 'Filed' } };
    const filed = await waits.request('PATCH', `/v1/drafts/${id}`, JSON.stringify(change), {
      'Idempotency-Key': randomUUID(),
    });
    const other = { mailbox, draft: { subject: 'Meanwhile' } };
    await direct.request('PATCH', `/v1/drafts/${id}`, JSON.stringify(other));
    expect(approvalOf(await decide(settings, approvalOf(filed), 'approve'))).toMatchObject({
      state: 'refused',
      result: { status: 409 },
    });
  });
});
