import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SettingsApi } from './settings-api.js';
import { errorOf, itemsOf, recordOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

jest.setTimeout(60_000);

describe('the audit', () => {
  let place: Workplace;
  let member: SettingsApi;
  let mailbox: string;
  let key: OwnKey;

  beforeAll(async () => {
    place = await Workplace.open('acme');
    member = await SettingsApi.signIn(place.product, place.tenant.member);
    mailbox = await place.mailbox();
    key = await place.keyFor(mailbox);
  });

  const list = async (query: string, settings = place.settings) =>
    itemsOf(await settings.get(`/audit${query}`));
  /** Waits for a number of entries, of one subject if given. */
  const sealed = async (query: string, count: number, subjectId?: string) => {
    const deadline = performance.now() + 20_000;
    for (;;) {
      const found = (await list(query)).filter(
        (entry) => subjectId === undefined || Reflect.get(entry, 'subjectId') === subjectId,
      );
      if (found.length >= count) return found;
      if (performance.now() > deadline) throw new Error(`${found.length} of ${count} are sealed.`);
      await sleep(50);
    }
  };
  const verify = async () => recordOf(await place.settings.get('/audit/verify'));

  it('has what a key did in the mail service, once, also when it was repeated', async () => {
    const { id } = await place.receive(key, mailbox);
    const path = `/v1/conversations/${id}/comment`;
    const body = { mailbox, text: 'something that no audit may hold' };
    const first = await key.post(path, body, 'audited once');
    const again = await key.post(path, body, 'audited once');
    expect([first.status, again.status]).toEqual([200, 200]);
    await key.post(`/v1/conversations/${id}/archive`, { mailbox });
    const found = await sealed(`?actor=${key.id}`, 2);
    expect(found).toMatchObject([
      { action: 'conversations.archive', subjectId: id },
      {
        action: 'conversations.comment',
        subjectId: id,
        actor: { type: 'key', id: key.id },
        source: 'api',
        requestId: first.headers['x-request-id'],
      },
    ]);
    expect(JSON.stringify(found)).not.toContain('no audit may hold');
  });

  it('has what a member did in the settings, and no secret of it', async () => {
    const other = await place.key({ name: 'Audited' });
    const [entry] = await sealed('?action=keys.create', 1, other.id);
    expect(entry).toMatchObject({ source: 'app', actor: { type: 'member' } });
  });

  it('is whole, and exported whole', async () => {
    await key.get('/v1/conversations', { mailbox });
    const verdict = await verify();
    expect(verdict).toMatchObject({ ok: true, firstBrokenId: null });
    const answer = await place.settings.get('/audit/export');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
    const lines = answer.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    const head = lines.pop();
    expect(head).toEqual({
      head: { length: lines.length, lastHash: expect.any(String), hash: expect.any(String) },
    });
    expect(lines.length).toBeGreaterThanOrEqual(Number(verdict['entries']));
    expect(lines.map((line) => 'position' in line && line.position)).toEqual(
      lines.map((_, i) => i + 1),
    );
  });

  it.each(['/audit', '/audit/export', '/audit/verify'])(
    '%s is for administrators alone, and shows nothing of another workspace',
    async (path) => {
      const answer = await member.get(path);
      expect([answer.status, errorOf(answer).error]).toEqual([403, 'ADMIN_REQUIRED']);
      expect((await new SettingsApi(place.product).get(path)).status).toBe(401);
      const globex = await Workplace.open('globex');
      const there = await globex.settings.get(path);
      expect(there.status).toBe(200);
      expect(there.text).not.toContain(key.id);
    },
  );
});
