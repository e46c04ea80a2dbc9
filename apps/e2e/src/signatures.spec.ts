import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Answer } from './http.js';
import { withoutRequest } from './sameness.js';
import { SettingsApi } from './settings-api.js';
import { errorOf, itemsOf, recordOf, versionedOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

interface Signature {
  readonly id: string;
  readonly name: string;
  readonly html: string;
  readonly text: string;
  readonly mailbox: string | null;
  readonly isDefault: boolean;
  readonly version: number;
}

const signatureOf = (answer: Answer): Signature => recordOf(answer)['signature'] as Signature;
const namesOf = (answer: Answer): readonly string[] =>
  (recordOf(answer)['signatures'] as readonly Signature[]).map(({ name }) => name);

describe('signatures', () => {
  let place: Workplace;
  let member: SettingsApi;
  let mailbox: string;
  let api: OwnKey;

  const aName = (): string => `Signature ${randomUUID()}`;
  const create = async (given: object = {}): Promise<Signature> => {
    const body = { name: aName(), html: '<p>The <b>team</b></p>', mailbox, ...given };
    const answer = await member.post('/signatures', body);
    expect(answer.status).toBe(201);
    return signatureOf(answer);
  };

  beforeAll(async () => {
    place = await Workplace.open('acme');
    member = await SettingsApi.signIn(place.product, place.tenant.member);
    mailbox = await place.mailbox();
    api = await place.keyFor(mailbox, { scopes: ['read:conversations'] });
  });

  it('are made, changed and removed by any member, and listed', async () => {
    const made = await create();
    expect(made).toEqual({
      id: expect.any(String),
      name: made.name,
      html: '<p>The <b>team</b></p>',
      text: 'The team',
      mailbox,
      isDefault: false,
      updatedAt: expect.stringMatching(/Z$/),
      version: 1,
    });
    expect(itemsOf(await member.get('/signatures'))).toContainEqual(made);
    const changed = await member.patch(`/signatures/${made.id}`, { html: '<i>Us</i>' });
    expect(signatureOf(changed)).toMatchObject({ name: made.name, html: '<i>Us</i>', text: 'Us' });
    const removed = await member.delete(`/signatures/${made.id}`);
    expect([removed.status, recordOf(removed)]).toEqual([200, { ok: true }]);
    expect((await member.delete(`/signatures/${made.id}`)).status).toBe(404);
  });

  it('are listed for a key of their mailbox, as they are kept', async () => {
    const mine = await create();
    const any = await create({ mailbox: null });
    const answer = await api.get('/v1/signatures');
    expect(recordOf(answer)['signatures']).toEqual(expect.arrayContaining([mine, any]));
    const elsewhere = await place.keyFor(await place.mailbox());
    const names = namesOf(await elsewhere.get('/v1/signatures'));
    expect(names).toContain(any.name);
    expect(names).not.toContain(mine.name);
  });

  it('hold nothing that a browser would run or fetch', async () => {
    const html = `<p onclick="x()">a<script>x()</script><img src="https://tracker.example/p.gif">
      <a href="javascript:x()">b</a></p>`;
    const made = await create({ html });
    expect(made.html).not.toMatch(/script|onclick|\ssrc=/);
    expect(namesOf(await api.get('/v1/signatures'))).toContain(made.name);
  });

  it('have one default a mailbox', async () => {
    const first = await create({ isDefault: true });
    const second = await create({ isDefault: true });
    const items = itemsOf(await member.get('/signatures'));
    const isDefault = (id: string): unknown =>
      items.find((item) => item['id'] === id)?.['isDefault'];
    expect([isDefault(first.id), isDefault(second.id)]).toEqual([false, true]);
  });

  it('are changed under the version that was read, and under no other', async () => {
    const { id, version } = versionedOf(await create());
    const path = `/signatures/${id}`;
    const under = (method: string, body?: string): Promise<Answer> =>
      member.request(method, path, body, { 'If-Match': String(version) });
    expect((await under('PATCH', '{"name":"Renamed"}')).status).toBe(200);
    expect((await under('PATCH', '{"name":"Again"}')).status).toBe(409);
    expect((await under('DELETE')).status).toBe(409);
  });

  it.each([
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(121) }],
    ['name', { name: 5 }],
    ['html', { html: '' }],
    ['html', { html: null }],
    ['html', { html: 'x'.repeat(50_001) }],
    ['html', { html: '<script>x()</script>' }],
    ['text', { text: 5 }],
    ['text', { text: 'x'.repeat(50_001) }],
    ['mailbox', { mailbox: 'no address' }],
    ['mailbox', { mailbox: 'nobody@acme.test' }],
    ['isDefault', { isDefault: 'yes' }],
    ['colour', { colour: 'red' }],
  ])('refuse a %s that is none: %#', async (field, wrong) => {
    const body = { name: aName(), html: '<p>x</p>', mailbox, ...wrong };
    const answer = await member.post('/signatures', body);
    expect(answer.status).toBe(400);
    expect(errorOf(answer).details).toContainEqual(expect.objectContaining({ field }));
  });

  it.each(['name', 'html'])('need a %s', async (field) => {
    const { [field]: _left, ...body }: Record<string, unknown> = { name: 'x', html: 'x' };
    expect((await member.post('/signatures', body)).status).toBe(400);
  });

  it('of another workspace answer as unknown ones, byte for byte', async () => {
    const globex = await Workplace.open('globex');
    const theirs = await globex.settings.post('/signatures', { name: aName(), html: 'x' });
    const { id, name } = signatureOf(theirs);
    const unknown = `${id.slice(0, -6)}000000`;
    const answers = await Promise.all(
      [id, unknown].map((one) => member.patch(`/signatures/${one}`, { name: 'Mine' })),
    );
    expect(answers[0]?.status).toBe(404);
    expect(withoutRequest(answers[0] as Answer)).toEqual(withoutRequest(answers[1] as Answer));
    expect(namesOf(await api.get('/v1/signatures'))).not.toContain(name);
  });

  it('need the scope, and take no parameter', async () => {
    const other = await place.keyFor(mailbox, { scopes: ['read:analytics'] });
    expect((await other.get('/v1/signatures')).status).toBe(403);
    expect((await api.get('/v1/signatures', { unknown: 'x' })).status).toBe(200);
    expect((await api.request('POST', '/v1/signatures', '{}')).status).toBe(404);
    expect((await new SettingsApi(place.product).get('/signatures')).status).toBe(401);
  });
});
