import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Answer } from './http.js';
import { withoutRequest } from './sameness.js';
import { SettingsApi } from './settings-api.js';
import { errorOf, itemsOf, recordOf } from './wire.js';
import { Workplace } from './workplace.js';

type Rule = Readonly<Record<string, unknown>> & { readonly id: string };

const ruleOf = (answer: Answer): Rule => recordOf(answer)['rule'] as Rule;
const hitsOf = (answer: Answer): readonly Rule[] => recordOf(answer)['hits'] as readonly Rule[];

describe('the rules of data-loss prevention', () => {
  let place: Workplace;
  let admin: SettingsApi;
  let member: SettingsApi;
  let mailbox: string;

  const aRule = (given: object = {}) => ({
    ...{ name: `Rule ${randomUUID()}`, detector: 'card_number', action: 'warn', enabled: false },
    ...given,
  });
  const create = async (given: object = {}): Promise<Rule> => {
    const answer = await admin.post('/dlp-rules', aRule(given));
    expect(answer.status).toBe(201);
    return ruleOf(answer);
  };
  const removed = async ({ id }: Rule): Promise<void> => {
    expect((await admin.delete(`/dlp-rules/${id}`)).status).toBe(200);
  };

  beforeAll(async () => {
    place = await Workplace.open('acme');
    admin = place.settings;
    member = await SettingsApi.signIn(place.product, place.tenant.member);
    mailbox = await place.mailbox();
  });

  it('are made, listed, changed and removed by administrators', async () => {
    const pattern = 'application/zip, .exe';
    const made = await create({ detector: 'attachment_type', pattern, mailboxes: [mailbox] });
    expect(made).toEqual({
      ...{ id: expect.stringMatching(/^dlp_/), name: made['name'], detector: 'attachment_type' },
      ...{ pattern, action: 'warn', mailboxes: [mailbox], enabled: false, version: 1 },
      ...{ createdAt: expect.stringMatching(/Z$/), updatedAt: made['createdAt'] },
    });
    const listed = await admin.get('/dlp-rules');
    expect(itemsOf(listed)).toContainEqual(made);
    expect(recordOf(listed)['nextPageToken']).toBeNull();
    const changed = await admin.patch(`/dlp-rules/${made.id}`, { action: 'block', mailboxes: [] });
    expect(ruleOf(changed)).toMatchObject({ action: 'block', mailboxes: [], pattern, version: 2 });
    const gone = await admin.delete(`/dlp-rules/${made.id}`);
    expect([gone.status, recordOf(gone)]).toEqual([200, { ok: true }]);
    expect((await admin.delete(`/dlp-rules/${made.id}`)).status).toBe(404);
    expect((await admin.patch(`/dlp-rules/${made.id}`, { name: 'x' })).status).toBe(404);
  });

  it('judge all mailboxes and are on, with no pattern, unless something else is said', async () => {
    const { name, detector, action } = aRule();
    const answer = await admin.post('/dlp-rules', { name, detector, action });
    expect(ruleOf(answer)).toMatchObject({ pattern: null, mailboxes: [], enabled: true });
    await removed(ruleOf(answer));
  });

  it.each([
    ['GET', '/dlp-rules', undefined],
    ['POST', '/dlp-rules', '{"name":"x","detector":"iban","action":"warn"}'],
    ['PATCH', '/dlp-rules/dlp_00000000000000000000000000', '{"name":"x"}'],
    ['DELETE', '/dlp-rules/dlp_00000000000000000000000000', undefined],
    ['POST', '/dlp-rules/try', '{"text":"x"}'],
  ])('are for administrators alone: %s %s', async (method, path, body) => {
    const answer = await member.request(method, path, body);
    expect([answer.status, errorOf(answer).error]).toEqual([403, 'ADMIN_REQUIRED']);
    const nobody = await new SettingsApi(place.product).request(method, path, body);
    expect(nobody.status).toBe(401);
  });

  it('say what is wrong with an expression', async () => {
    const answer = await admin.post('/dlp-rules', aRule({ detector: 'pattern', pattern: '(ab' }));
    const [detail] = errorOf(answer).details ?? [];
    expect(detail?.message).toContain('missing closing )');
  });

  it('of another workspace answer as unknown ones, byte for byte, and hit nothing', async () => {
    const globex = await Workplace.open('globex');
    const theirs = ruleOf(
      await globex.settings.post('/dlp-rules', aRule({ detector: 'pattern', pattern: 'globex' })),
    );
    const unknown = `${theirs.id.slice(0, -6)}000000`;
    for (const method of ['PATCH', 'DELETE']) {
      const answers = await Promise.all(
        [theirs.id, unknown].map((id) =>
          admin.request(method, `/dlp-rules/${id}`, method === 'PATCH' ? '{}' : undefined),
        ),
      );
      expect(answers[0]?.status).toBe(404);
      expect(withoutRequest(answers[0] as Answer)).toEqual(withoutRequest(answers[1] as Answer));
    }
    const ids = itemsOf(await admin.get('/dlp-rules')).map((item) => item['id']);
    expect(ids).not.toContain(theirs.id);
    const hits = hitsOf(await admin.post('/dlp-rules/try', { text: 'globex' }));
    expect(hits.map((hit) => hit['ruleId'])).not.toContain(theirs.id);
    const mine = await globex.settings.post('/dlp-rules', aRule({ mailboxes: [mailbox] }));
    expect([mine.status, errorOf(mine).details?.[0]?.field]).toEqual([400, 'mailboxes.0']);
    expect((await globex.settings.delete(`/dlp-rules/${theirs.id}`)).status).toBe(200);
  });

  describe('on trial', () => {
    const tried = async (text: string, { id }: Rule): Promise<readonly Rule[]> =>
      hitsOf(await admin.post('/dlp-rules/try', { text })).filter((hit) => hit['ruleId'] === id);

    it.each([
      ['card_number', null, 'Card 4111&nbsp;1111<b>1111</b>1111', /^41•+11$/],
      ['iban', null, 'fr76 3000 6000 0112 3456 7890 189', /^fr•+89$/],
      ['fr_ssn', null, '１ 85 05 78 006 084 91', /^1 •+91$/],
      ['secret_key', null, '-----BEGIN PRIVATE KEY-----', /^--•+--$/],
      ['pattern', '(?i)projet \\w+', 'Le Projet Lune', /^Pr•+ne$/],
      ['attachment_type', 'exe', 'setup.EXE', /^se•+XE$/],
      ['external_domain', 'acme.test', 'ada@acme.test, bob@else.test', /^bo•+st$/],
    ])(
      'show the finds of %s masked, also when they are off',
      async (detector, pattern, text, excerpt) => {
        const rule = await create({ detector, pattern });
        const [hit] = await tried(text, rule);
        const { id: ruleId, name } = rule;
        const excerpts = [expect.stringMatching(excerpt)];
        const rest = { action: 'warn', enabled: false, count: 1, excerpts };
        expect(hit).toEqual({ ruleId, name, detector, ...rest });
        expect(await tried('Bonjour à tous.', rule)).toEqual([]);
        await removed(rule);
      },
    );

    it('take a hostile text, and others are answered meanwhile', async () => {
      const rule = await create();
      const trial = admin.post('/dlp-rules/try', { text: '4 1 1 1 '.repeat(12_500) });
      expect((await admin.get('/dlp-rules')).status).toBe(200);
      expect((await trial).status).toBe(200);
      await removed(rule);
    });
  });
});
