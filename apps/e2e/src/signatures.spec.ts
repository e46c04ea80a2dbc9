import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Answer } from './http.js';
import { withoutRequest } from './sameness.js';
import { SettingsApi } from './settings-api.js';
import { itemsOf, recordOf } from './wire.js';
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
});
