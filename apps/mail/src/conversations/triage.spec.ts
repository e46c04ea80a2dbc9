import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  builtIns,
  conversations,
  newId,
  newSandboxId,
  triage,
  type AssignAnswer,
  type AssignConversation,
  type Conversation,
  type ConversationAnswer,
  type LabelAnswer,
  type LabelConversation,
  type SnoozeAnswer,
  type UnsnoozeAnswer,
} from '@postroom/contracts';
import type { KeyCaller } from '@postroom/access';
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

const detail = async (where = mailbox): Promise<Conversation> => {
  const input = { id, mailbox: where.address };
  const { caller } = where;
  return (await service.call<ConversationAnswer>(conversations.get, input, { caller })).body
    .conversation;
};

/** Calls that name a conversation which does not exist for them; each must answer the same. */
const strangers = async (): Promise<[MailboxOf, string][]> => [
  [mailbox, newId('cnv')],
  [await service.mailbox({ tenantId: mailbox.tenantId }), id],
  [{ ...mailbox, caller: aKey() }, id],
  [{ ...mailbox, address: 'nobody@acme.test' }, id],
];

describe('conversations.assign', () => {
  const assign = (
    given: Partial<AssignConversation>,
    { where = mailbox, of = id, preview = false } = {},
  ): Promise<Answer<AssignAnswer>> => {
    const { address, caller } = where;
    return service.call(triage.assign, { id: of, mailbox: address, ...given }, { caller, preview });
  };
  const teamId = newId('tea');

  it('sets what is given and keeps the rest', async () => {
    const first = await assign({ assignee: 'ada@acme.test' });
    expect([first.status, first.body]).toEqual([
      200,
      {
        ok: true,
        id,
        result: {
          assignee: 'ada@acme.test',
          status: 'open',
          teamId: null,
          changed: true,
          version: 2,
        },
      },
    ]);
    const second = await assign({ status: 'pending', teamId });
    const result = { assignee: 'ada@acme.test', status: 'pending', teamId };
    expect(second.body.result).toEqual({ ...result, changed: true, version: 3 });
    expect(await detail()).toMatchObject({ ...result, version: 3 });
  });

  it('is done to the version that was read, and to no other', async () => {
    expect((await assign({ status: 'closed', ifMatch: 0 })).problem).toBe('VERSION_CONFLICT');
    const input = { id, mailbox: mailbox.address, add: ['VIP'], remove: [], ifMatch: 0 };
    const labelled = await service.call(triage.label, input, { caller: mailbox.caller });
    expect([labelled.status, labelled.problem]).toEqual([409, 'VERSION_CONFLICT']);
    expect(await detail()).toMatchObject({ status: 'open', labels: [], version: 1 });
    const { body } = await assign({ status: 'closed', ifMatch: 1 });
    expect(body.result).toMatchObject({ status: 'closed', version: 2 });
  });

  it('clears with null', async () => {
    await assign({ assignee: 'ada@acme.test', teamId });
    const { body } = await assign({ assignee: null, teamId: null });
    expect(body.result).toMatchObject({ assignee: null, teamId: null, changed: true, version: 3 });
  });

  it('that changes nothing emits nothing and leaves the version', async () => {
    await assign({ assignee: 'ada@acme.test', status: 'closed', teamId });
    const before = await detail();
    for (const same of [{}, { assignee: 'ada@acme.test', status: 'closed' as const, teamId }]) {
      expect((await assign(same)).body.result.changed).toBe(false);
    }
    expect(await detail()).toEqual(before);
    expect(await service.events(mailbox)).toHaveLength(1);
  });

  it('emits conversation.assigned with the old values of what changed', async () => {
    await assign({ assignee: 'ada@acme.test' });
    await assign({ assignee: 'bob@acme.test', status: 'open' });
    const [first, second] = await service.events(mailbox);
    const {
      messages: _m,
      messagesTruncated: _t,
      comments: _c,
      links: _l,
      leasedBy: _b,
      contact: _contact,
      ...item
    } = await detail();
    expect(first).toMatchObject({
      type: 'conversation.assigned',
      sequence: 1,
      previous: { assignee: null },
    });
    expect(second).toMatchObject({
      type: 'conversation.assigned',
      resource: { type: 'conversation', id },
      sequence: 2,
    });
    expect(second?.data).toEqual({ conversation: item });
    expect(second?.previous).toEqual({ assignee: 'ada@acme.test' });
  });

  describe('to a member who has left, or a team that is gone', () => {
    const gone = { assignee: 'ada@acme.test', teamId };
    const unknownReferences = { assignee: ['ada@acme.test'], teamId: [teamId] };
    const ask = (
      given: Partial<AssignConversation>,
      idempotencyKey?: string,
    ): Promise<Answer<AssignAnswer>> =>
      service.call(
        triage.assign,
        { id, mailbox: mailbox.address, ...given },
        {
          caller: mailbox.caller,
          unknownReferences,
          ...(idempotencyKey !== undefined && { idempotencyKey }),
        },
      );

    it('is refused with all fields at fault, and changes nothing', async () => {
      const before = await detail();
      const unknown = (field: string) => ({ field, fault: 'UNKNOWN_VALUE' });
      const answer = await ask({ ...gone, status: 'closed' });
      expect([answer.status, answer.problem]).toEqual([400, 'INVALID_REQUEST']);
      expect(answer.body).toEqual({
        violations: [
          { ...unknown('assignee'), message: expect.objectContaining({ fr: expect.any(String) }) },
          { ...unknown('teamId'), message: expect.objectContaining({ fr: 'équipe inconnue' }) },
        ],
      });
      expect(await detail()).toEqual(before);
      expect(await service.events(mailbox)).toEqual([]);
    });

    it.each([
      ['as it stands already', gone],
      ['beside a change of the status', { ...gone, status: 'closed' as const }],
      ['the assignee alone', { assignee: gone.assignee }],
      ['the team alone', { teamId }],
    ])('is refused where it has the conversation: %s', async (_, given) => {
      await assign(gone);
      const before = await detail();
      const answer = await ask(given);
      expect([answer.status, answer.problem]).toEqual([400, 'INVALID_REQUEST']);
      expect(await detail()).toEqual(before);
      expect(await service.events(mailbox)).toHaveLength(1);
    });

    it('stays named when the request leaves it out', async () => {
      await assign(gone);
      const { status, body } = await assign({ status: 'closed' });
      expect([status, body.result]).toMatchObject([
        200,
        { ...gone, status: 'closed', changed: true },
      ]);
    });

    it('is answered as it was when it is a repeat', async () => {
      const input = { id, mailbox: mailbox.address, ...gone };
      const options = { caller: mailbox.caller, idempotencyKey: 'before-she-left' };
      const first = await service.call(triage.assign, input, options);
      expect(first.status).toBe(200);
      await assign({ assignee: null, teamId: null });
      const again = await ask(gone, 'before-she-left');
      expect([again.status, again.text]).toEqual([200, first.text]);
      expect(again.headers).toMatchObject({ 'x-svc-idempotency': 'hit' });
    });
  });

  it('answers CONVERSATION_NOT_FOUND for one that is not in the mailbox', async () => {
    for (const [where, of] of await strangers()) {
      const { status, problem } = await assign({ status: 'closed' }, { where, of });
      expect([status, problem]).toEqual([404, 'CONVERSATION_NOT_FOUND']);
    }
  });
});

describe('conversations.label', () => {
  const label = (
    given: Partial<LabelConversation>,
    { where = mailbox, of = id, preview = false } = {},
  ): Promise<Answer<LabelAnswer>> => {
    const { address, caller } = where;
    const input = { id: of, mailbox: address, add: [], remove: [], ...given };
    return service.call(triage.label, input, { caller, preview });
  };

  it('adds and removes, and says what came of it', async () => {
    const first = await label({ add: ['Urgent', 'VIP'] });
    expect(first.body.result).toEqual({
      labels: ['Urgent', 'VIP'],
      added: ['Urgent', 'VIP'],
      removed: [],
      version: 2,
    });
    const second = await label({ add: ['Paris', 'VIP'], remove: ['Urgent', 'unknown'] });
    expect(second.body.result).toEqual({
      labels: ['VIP', 'Paris'],
      added: ['Paris'],
      removed: ['Urgent'],
      version: 3,
    });
    expect(await detail()).toMatchObject({ labels: ['VIP', 'Paris'], version: 3 });
  });

  it('keeps the first spelling of the mailbox, whatever is written later', async () => {
    await label({ add: ['Été à Paris', 'Straße'] });
    const same = ['ÉTÉ À PARIS', 'E\u0301te\u0301 a\u0300 Paris', 'STRASSE', 'Été　à Paris'];
    const { result } = (await label({ add: same })).body;
    const labels = ['Été à Paris', 'Straße'];
    expect(result).toEqual({ labels, added: [], removed: [], version: 2 });
    const other = await deliveries.place(mailbox);
    expect((await label({ add: ['été à paris'] }, { of: other })).body.result.added).toEqual([
      'Été à Paris',
    ]);
    const elsewhere = await service.mailbox({ tenantId: mailbox.tenantId });
    const third = await deliveries.place(elsewhere);
    const there = await label({ add: ['été à paris'] }, { where: elsewhere, of: third });
    expect(there.body.result.added).toEqual(['été à paris']);
  });

  it('removes by any spelling, and adds one label once', async () => {
    await label({ add: ['VIP', 'vip', 'ＶＩＰ'] });
    expect((await detail()).labels).toEqual(['VIP']);
    expect((await label({ remove: ['vip'] })).body.result).toEqual({
      labels: [],
      added: [],
      removed: ['VIP'],
      version: 3,
    });
  });

  it('takes one spelling when two are new at once', async () => {
    const others = await Promise.all([1, 2, 3, 4, 5, 6].map(() => deliveries.place(mailbox)));
    const spellings = ['Neu', 'NEU', 'neu', 'nEu', 'neU', 'nEU'];
    const answers = await Promise.all(
      others.map((of, i) => label({ add: [spellings[i] ?? '', `${i} x`, 'Alt'] }, { of })),
    );
    expect(new Set(answers.map(({ body }) => body.result.added[0])).size).toBe(1);
  });

  it('that changes nothing emits nothing and leaves the version', async () => {
    await label({ add: ['VIP'] });
    const before = await detail();
    await label({ add: ['vip'], remove: ['absent'] });
    expect(await detail()).toEqual(before);
    expect(await service.events(mailbox)).toHaveLength(1);
  });

  it('emits conversation.labeled with the labels before', async () => {
    await label({ add: ['VIP'] });
    await label({ add: ['Paris'] });
    const [, last] = await service.events(mailbox);
    expect(last).toMatchObject({
      type: 'conversation.labeled',
      sequence: 2,
      data: { conversation: { id, labels: ['VIP', 'Paris'] } },
      previous: { labels: ['VIP'] },
    });
  });

  it('takes off what is named both ways, whether it was there or not', async () => {
    await label({ add: ['VIP'] });
    const both = await label({ add: ['vip', 'New', 'Other'], remove: ['Vip', 'new'] });
    const after = { labels: ['Other'], version: 3 };
    expect(both.body.result).toEqual({ ...after, added: ['Other'], removed: ['VIP'] });
    const nothing = await label({ add: ['New'], remove: ['ｎｅｗ'] });
    expect(nothing.body.result).toEqual({ ...after, added: [], removed: [] });
    expect(await service.events(mailbox)).toHaveLength(2);
  });

  it('lets a conversation have 500 labels and no more', async () => {
    const batch = (from: number) => Array.from({ length: 50 }, (_, i) => `Label ${from + i}`);
    for (let from = 0; from < 500; from += 50) {
      expect((await label({ add: batch(from) })).status).toBe(200);
    }
    const { status, problem, body } = await label({ add: ['One more'] });
    expect([status, problem]).toEqual([400, 'TOO_MANY_LABELS']);
    expect(body).toEqual({ violations: [{ field: 'add', message: expect.any(Object) }] });
    expect(
      (await label({ add: ['One more'], remove: ['label 7'] })).body.result.labels,
    ).toHaveLength(500);
    await deliveries.deliver(mailbox, { inReplyTo: 'a' });
    expect(await service.count('conversation_labels', mailbox)).toBe(500);
  });

  it('concurrent with others loses none', async () => {
    await Promise.all(Array.from({ length: 8 }, (_, i) => label({ add: [`L${i}`, 'Both'] })));
    expect((await detail()).labels).toHaveLength(9);
    const events = await service.events(mailbox);
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('answers CONVERSATION_NOT_FOUND for one that is not in the mailbox', async () => {
    for (const [where, of] of await strangers()) {
      const { status, problem } = await label({ add: ['VIP'] }, { where, of });
      expect([status, problem]).toEqual([404, 'CONVERSATION_NOT_FOUND']);
    }
  });
});

describe('conversations.snooze', () => {
  const someone = (): MailboxOf => {
    const member = { id: newId('mbr'), email: 'ada@acme.test' };
    return { ...mailbox, caller: aKey({ tenantId: mailbox.tenantId, member }) };
  };
  const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
  const hour = 3_600_000;

  const snooze = (
    where: MailboxOf,
    until: string,
    {
      ifMatch,
      of = id,
      preview = false,
    }: { ifMatch?: number; of?: string; preview?: boolean } = {},
  ): Promise<Answer<SnoozeAnswer>> => {
    const input = {
      id: of,
      mailbox: where.address,
      until,
      ...(ifMatch !== undefined && { ifMatch }),
    };
    return service.call(triage.snooze, input, { caller: where.caller, preview });
  };

  it('hides the conversation from its member until then, and from nobody else', async () => {
    const [ada, bob] = [someone(), someone()];
    const until = inMs(hour);
    const before = await detail();
    const { status, body } = await snooze(ada, until);
    expect([status, body]).toEqual([
      200,
      {
        ok: true,
        id,
        result: {
          action: 'snooze',
          until,
          reminderId: expect.stringMatching(/^rem_/),
          created: true,
          changed: true,
          version: 1,
        },
      },
    ]);
    expect(await service.list(ada)).toEqual([]);
    expect(await service.list(bob)).toHaveLength(1);
    expect(await service.list(mailbox)).toHaveLength(1);
    expect((await detail(ada)).snoozedUntil).toBe(until);
    expect((await detail(bob)).snoozedUntil).toBeNull();
    expect(await detail()).toEqual(before);
    expect(await service.events(mailbox)).toEqual([]);
    expect(await service.notices(mailbox)).toEqual([
      { type: 'conversation.snoozed', conversation: { id, mailbox: mailbox.address } },
    ]);
  });

  it('again until the same time changes nothing; until another it moves the same reminder', async () => {
    const ada = someone();
    const until = inMs(hour);
    const first = (await snooze(ada, until)).body.result;
    expect((await snooze(ada, until)).body.result).toEqual({
      ...first,
      created: false,
      changed: false,
    });
    const later = inMs(2 * hour);
    const moved = { ...first, until: later, created: false, changed: true, version: 2 };
    expect((await snooze(ada, later)).body.result).toEqual(moved);
    expect(await service.count('snoozes', mailbox)).toBe(1);
  });

  it('ends by itself, and can then begin anew', async () => {
    const ada = someone();
    const first = (await snooze(ada, inMs(hour))).body.result;
    expect(await service.list(ada)).toEqual([]);
    await service.rows('UPDATE snoozes SET until = now() WHERE tenant_id = $1', [ada.tenantId]);
    expect(await service.list(ada)).toHaveLength(1);
    expect((await detail(ada)).snoozedUntil).toBeNull();
    const again = (await snooze(ada, inMs(hour))).body.result;
    expect(again).toMatchObject({ created: true, changed: true, version: 2 });
    expect(again.reminderId).not.toBe(first.reminderId);
  });

  it('is ended by unsnooze, once, under the version that was read', async () => {
    const ada = someone();
    const unsnooze = async (where: MailboxOf, ifMatch?: number) => {
      const input = { id, mailbox: where.address, ...(ifMatch !== undefined && { ifMatch }) };
      const answer = await service.call<UnsnoozeAnswer>(
        ...([triage.unsnooze, input, { caller: where.caller }] as const),
      );
      return answer.problem ?? answer.body.result;
    };
    await snooze(ada, inMs(hour));
    const { version } = await detail();
    expect(await unsnooze(ada, 0)).toBe('VERSION_CONFLICT');
    const nothing = { action: 'unsnooze', changed: false, version: 0 };
    expect(await unsnooze(someone())).toEqual(nothing);
    expect(await unsnooze(ada, 1)).toEqual({ ...nothing, changed: true, version: 2 });
    expect(await unsnooze(ada)).toEqual({ ...nothing, version: 2 });
    expect(await service.list(ada)).toMatchObject([{ id, version: version + 1 }]);
    expect(await service.events(mailbox)).toEqual([]);
    const types = (await service.notices(mailbox)).map(({ type }) => type);
    expect(types).toEqual(['conversation.snoozed', 'conversation.unsnoozed']);
    expect(await snooze(ada, inMs(hour))).toMatchObject({
      body: { result: { created: true, version: 3 } },
    });
    for (const [where, of] of await strangers())
      expect(
        await service.call(
          triage.unsnooze,
          { id: of, mailbox: where.address },
          {
            caller: {
              ...where.caller,
              member: { id: newId('mbr'), email: 'ada@acme.test' },
            } as KeyCaller,
          },
        ),
      ).toMatchObject({ problem: 'CONVERSATION_NOT_FOUND' });
  });

  it('is not ended by a new message', async () => {
    const ada = someone();
    await snooze(ada, inMs(hour));
    await deliveries.deliver(mailbox, { inReplyTo: 'a' });
    expect(await service.list(ada)).toEqual([]);
  });

  it('is changed under the version that was read, and under no other', async () => {
    const ada = someone();
    expect((await snooze(ada, inMs(hour), { ifMatch: 1 })).problem).toBe('VERSION_CONFLICT');
    expect((await snooze(ada, inMs(hour), { ifMatch: 0 })).status).toBe(200);
    const answers = await Promise.all(
      [2, 3, 4].map((hours) => snooze(ada, inMs(hours * hour), { ifMatch: 1 })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });

  it('made by many tabs at once is one', async () => {
    const ada = someone();
    const until = inMs(hour);
    const answers = await Promise.all([1, 2, 3, 4].map(() => snooze(ada, until)));
    const results = answers.map(({ body }) => body.result);
    expect(results.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(results.map(({ reminderId }) => reminderId)).size).toBe(1);
  });

  it('until a time that has come, or is more than 365 days away, is refused', async () => {
    for (const until of [inMs(-1), inMs(366 * 24 * hour)]) {
      const answer = await snooze(someone(), until);
      expect([answer.status, answer.problem]).toEqual([400, 'INVALID_REQUEST']);
      expect(answer.body).toEqual({ violations: [expect.objectContaining({ field: 'until' })] });
    }
  });

  it('that is repeated when its time has come is answered as it was', async () => {
    mailbox = await service.mailbox({ automation: false, tenantId: newSandboxId() });
    id = await deliveries.place(mailbox);
    const { caller } = someone();
    const input = { id, mailbox: mailbox.address, until: inMs(hour) };
    const options = { caller, idempotencyKey: 'a-short-snooze' };
    const first = await service.call(triage.snooze, input, options);
    expect(first.status).toBe(200);
    const clock = { aheadMs: 2 * hour, since: new Date().toISOString(), events: [] };
    await service.call(builtIns.mail.clock, clock, { caller: anAdmin(mailbox) });
    const again = await service.call(triage.snooze, input, options);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers).toMatchObject({ 'x-svc-idempotency': 'hit' });
    const anew = await service.call(triage.snooze, input, {
      caller,
      idempotencyKey: 'another-key',
    });
    expect(anew.status).toBe(400);
  });

  it('answers CONVERSATION_NOT_FOUND for one that is not in the mailbox', async () => {
    const member = { id: newId('mbr'), email: 'ada@acme.test' };
    for (const [where, of] of await strangers()) {
      const caller = { ...where.caller, member };
      const { status, problem } = await snooze({ ...where, caller }, inMs(hour), {
        of,
      });
      expect([status, problem]).toEqual([404, 'CONVERSATION_NOT_FOUND']);
    }
  });
});
