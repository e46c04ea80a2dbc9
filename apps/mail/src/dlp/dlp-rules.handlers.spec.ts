import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Caller } from '@postroom/access';
import {
  dlpRules,
  newId,
  type CreateDlpRule,
  type DlpRule,
  type DlpRuleAnswer,
  type DlpRuleList,
  type DlpTrialList,
} from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { MailService } from '../testing/mail-service.js';

describe('dlpRules', () => {
  let service: MailService;
  beforeAll(async () => {
    service = await MailService.start();
  });
  afterAll(() => service.close());

  const tryCreate = (caller: Caller, given: Partial<CreateDlpRule> = {}) => {
    const detector = 'card_number' as const;
    const rest = { action: 'warn' as const, mailboxes: [], enabled: true };
    const input = { name: 'Cards', detector, ...rest, ...given };
    return service.call<DlpRuleAnswer>(dlpRules.create, input, { caller });
  };
  const create = async (caller: Caller, given: Partial<CreateDlpRule> = {}): Promise<DlpRule> => {
    const answer = await tryCreate(caller, given);
    expect(answer.status).toBe(201);
    return answer.body.rule;
  };
  const update = (caller: Caller, id: string, given: object) =>
    service.call<DlpRuleAnswer>(dlpRules.update, { id, ...given }, { caller });
  const remove = (caller: Caller, id: string, ifMatch?: number) =>
    service.call(dlpRules.remove, { id, ...(ifMatch !== undefined && { ifMatch }) }, { caller });
  const list = async (caller: Caller): Promise<DlpRule[]> =>
    (await service.call<DlpRuleList>(dlpRules.list, {}, { caller })).body.items;
  const trial = async (caller: Caller, text: string) =>
    (await service.call<DlpTrialList>(dlpRules.tryOut, { text }, { caller })).body.hits;

  it('are kept as they are given, first made first, and audited', async () => {
    const admin = anAdmin();
    const { address } = await service.mailbox({ tenantId: admin.tenantId });
    const rule = await create(admin, {
      ...{ name: 'No zip', detector: 'attachment_type', pattern: 'zip, application/zip' },
      ...{ action: 'block', mailboxes: [address.toUpperCase(), address], enabled: false },
    });
    expect(rule).toEqual({
      ...{ id: expect.stringMatching(/^dlp_/), name: 'No zip', detector: 'attachment_type' },
      ...{ pattern: 'zip, application/zip', action: 'block', mailboxes: [address], enabled: false },
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: rule.createdAt,
      version: 1,
    });
    const second = await create(admin);
    expect(second).toMatchObject({ pattern: null, mailboxes: [], enabled: true });
    expect(await list(admin)).toEqual([rule, second]);
    expect(await service.audit(admin)).toContainEqual({
      ...{ action: 'dlpRules.create', subjectId: rule.id },
      ...{ actorType: 'member', actorId: admin.memberId },
    });
  });

  it('change where they are told to, and stay elsewhere', async () => {
    const admin = anAdmin();
    const made = await create(admin, { detector: 'pattern', pattern: 'lune' });
    const changed = await update(admin, made.id, { enabled: false, name: 'Off' });
    const { updatedAt } = changed.body.rule;
    expect(changed.body.rule).toEqual({
      ...made,
      name: 'Off',
      enabled: false,
      version: 2,
      updatedAt,
    });
    const other = await update(admin, made.id, { detector: 'iban', pattern: null });
    expect(other.body.rule).toMatchObject({ detector: 'iban', pattern: null, version: 3 });
  });

  it.each([
    ['card_number', 'x'],
    ['iban', ''],
    ['fr_ssn', '.*'],
    ['secret_key', 'AKIA'],
    ['pattern', null],
    ['pattern', ' '],
    ['pattern', '('],
    ['pattern', 'x*'],
    ['pattern', '(?=x)'],
    ['attachment_type', null],
    ['attachment_type', 'no type'],
    ['external_domain', null],
    ['external_domain', 'no domain!'],
  ] as const)('of %s refuse the pattern %j, and name it', async (detector, pattern) => {
    const admin = anAdmin();
    const refused = { status: 400, body: { violations: [{ field: 'pattern' }] } };
    expect(await tryCreate(admin, { detector, pattern })).toMatchObject(refused);
    const sound = await create(admin, { detector: 'pattern', pattern: 'sound' });
    expect(await update(admin, sound.id, { detector, pattern })).toMatchObject(refused);
    expect(await list(admin)).toEqual([sound]);
  });

  it('say what is wrong with an expression', async () => {
    const { text } = await tryCreate(anAdmin(), { detector: 'pattern', pattern: '(ab' });
    expect(text).toContain('missing closing )');
  });

  it('that change to a detector without a pattern have to let go of theirs', async () => {
    const admin = anAdmin();
    const { id } = await create(admin, { detector: 'pattern', pattern: 'lune' });
    expect(await update(admin, id, { detector: 'iban' })).toMatchObject({
      status: 400,
      body: { violations: [{ field: 'pattern' }] },
    });
  });

  it('for unknown mailboxes are refused, which are named by their places', async () => {
    const admin = anAdmin();
    const { address } = await service.mailbox({ tenantId: admin.tenantId });
    const elsewhere = await service.mailbox();
    const mailboxes = ['nobody@acme.test', address, elsewhere.address, 'no address'];
    const violations = ['mailboxes.0', 'mailboxes.2', 'mailboxes.3'].map((field) => ({ field }));
    const refused = { status: 400, problem: 'INVALID_REQUEST', body: { violations } };
    expect(await tryCreate(admin, { mailboxes })).toMatchObject(refused);
    const { id } = await create(admin, { mailboxes: [address] });
    expect(await update(admin, id, { mailboxes })).toMatchObject(refused);
    const freed = await update(admin, id, { mailboxes: [] });
    expect(freed.body.rule.mailboxes).toEqual([]);
  });

  it('are changed and removed under the version that was read, and under no other', async () => {
    const admin = anAdmin();
    const { id, version } = await create(admin);
    expect((await update(admin, id, { ifMatch: version, name: 'B' })).status).toBe(200);
    for (const answer of [
      await update(admin, id, { ifMatch: version, name: 'C' }),
      await remove(admin, id, version),
    ]) {
      expect(answer).toMatchObject({ status: 409, problem: 'VERSION_CONFLICT' });
    }
    expect(await list(admin)).toMatchObject([{ name: 'B', version: 2 }]);
    expect((await remove(admin, id, 2)).body).toEqual({ ok: true });
    expect(await list(admin)).toEqual([]);
    expect(await remove(admin, id)).toMatchObject({ status: 404, problem: 'DLP_RULE_NOT_FOUND' });
  });

  it('of another workspace do not exist, and hit nothing there', async () => {
    const { id } = await create(anAdmin());
    const stranger = anAdmin();
    const unknown = await update(stranger, newId('dlp'), { name: 'Mine' });
    const theirs = await update(stranger, id, { name: 'Mine' });
    expect([theirs.status, theirs.text]).toEqual([404, unknown.text]);
    expect((await remove(stranger, id)).status).toBe(404);
    expect(await list(stranger)).toEqual([]);
    expect(await trial(stranger, '4111 1111 1111 1111')).toEqual([]);
  });

  it('are 100 a workspace at most, also when many come at once', async () => {
    const admin = anAdmin();
    await create(admin);
    await service.admin.query(
      `INSERT INTO dlp_rules SELECT tenant_id, id || n, name, detector, pattern, action, mailboxes,
         enabled, created_at, updated_at, version
       FROM dlp_rules, generate_series(1, 97) n WHERE tenant_id = $1`,
      [admin.tenantId],
    );
    const answers = await Promise.all(Array.from({ length: 5 }, () => tryCreate(admin)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409]);
    expect(answers.map(({ problem }) => problem)).toContain('TOO_MANY_DLP_RULES');
    expect(await list(admin)).toHaveLength(100);
  });

  it('are tried on a text, and show what they would find behind a mask', async () => {
    const admin = anAdmin();
    const cards = await create(admin, { action: 'block' });
    const off = await create(admin, { detector: 'pattern', pattern: 'lune', enabled: false });
    expect(await trial(admin, 'Card <b>4111</b>&nbsp;1111 1111 1111 of the lune')).toEqual([
      {
        ...{ ruleId: cards.id, name: 'Cards', detector: 'card_number', action: 'block' },
        ...{ enabled: true, count: 1, excerpts: ['41•••••••••••••••11'] },
      },
      {
        ...{ ruleId: off.id, name: 'Cards', detector: 'pattern', action: 'warn' },
        ...{ enabled: false, count: 1, excerpts: ['l••e'] },
      },
    ]);
    expect(await trial(admin, 'nothing')).toEqual([]);
  });
});
