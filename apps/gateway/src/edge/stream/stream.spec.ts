import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { newId } from '@postroom/contracts';
import { until } from '@postroom/testing/until';
import { Gateway, idOfKey, type SomeMember, type SomeWorkspace } from '../../testing/gateway.js';
import { drainMaxMs } from '../http/fastify-adapter.js';

const mailbox = 'support@acme.test';

interface Frame {
  readonly id: string;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A reader of a member's stream. */
class Reader {
  text = '';
  isOver = false;

  private constructor(private readonly response: IncomingMessage) {
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => (this.text += chunk));
    response.on('close', () => (this.isOver = true));
    response.on('error', () => (this.isOver = true));
  }

  static open(gateway: Gateway, { cookie }: SomeMember, lastEventId?: string): Promise<Reader> {
    const headers = { cookie, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) };
    return new Promise((resolve, reject) => {
      get(gateway.url('/settings/api/stream'), { headers }, (response) => {
        if (response.statusCode === 200) resolve(new Reader(response));
        else reject(new Error(`status ${response.statusCode}`));
      }).on('error', reject);
    });
  }

  get frames(): readonly Frame[] {
    return this.text
      .split('\n\n')
      .filter((frame) => frame.startsWith('id:'))
      .map((frame) => {
        const [id = '', event = '', data = ''] = frame
          .split('\n')
          .map((line) => line.slice(line.indexOf(':') + 2));
        return { id, event, data: JSON.parse(data) as Frame['data'] };
      });
  }

  until(isThere: (reader: Reader) => boolean): Promise<void> {
    return until(() => isThere(this));
  }

  close(): void {
    this.response.destroy();
  }
}

describe('the stream of a member', () => {
  let one: Gateway;
  let other: Gateway;
  let workspace: SomeWorkspace;
  let member: SomeMember;
  let count = 0;
  const readers: Reader[] = [];

  beforeAll(async () => {
    one = await Gateway.start();
    other = await one.beside();
  });
  afterAll(async () => {
    for (const reader of readers) reader.close();
    await other.close();
    await one.close();
  });

  beforeEach(async () => {
    workspace = await one.workspace();
    member = await one.member(workspace);
    for (const gateway of [one, other]) {
      gateway.mail.visible = [];
      gateway.mail.preview = {
        ...{ target: null, title: null, within: { type: 'mailbox', id: mailbox } },
        difference: { before: null, after: {} },
      };
    }
  });

  const open = async (gateway: Gateway, who: SomeMember, lastEventId?: string): Promise<Reader> => {
    const reader = await Reader.open(gateway, who, lastEventId);
    readers.push(reader);
    await reader.until(({ text }) => text.startsWith('retry:'));
    return reader;
  };

  /** An agent whose key is in use already, of which nothing is told so soon. */
  const agent = async (): Promise<string> => {
    const key = await one.key(workspace, {
      ...{ kind: 'agent', approval: 'required', scopes: ['write:conversations'] },
      grants: { [mailbox]: 'write' },
    });
    await one.rows('UPDATE keys SET last_used_at = now() WHERE id = $1', [idOfKey(key)]);
    return key;
  };

  /** Files a write. @returns its approval */
  const file = async (key: string, gateway = one): Promise<string> => {
    const answer = await gateway.ask(key, `/v1/conversations/${newId('cnv')}/archive`, {
      ...{ method: 'POST', headers: { 'idempotency-key': `key-number-${++count}` } },
      body: { mailbox },
    });
    return (JSON.parse(answer.text) as { approval: { id: string } }).approval.id;
  };

  const told = ({ frames }: Reader): readonly unknown[] =>
    frames.map(({ event, data }) => [event, (data['approval'] as { id: string }).id]);

  it('tells of approvals as they are filed, decided and done, in order, on every gateway', async () => {
    other.mail.visible = [mailbox];
    const [here, there] = [await open(one, workspace.admin), await open(other, member)];
    const key = await agent();
    const [first, second] = [await file(key), await file(key)];
    await one.settings(workspace.admin, 'POST', `/approvals/${second}/approve`, {});
    const expected = [
      ['approval.filed', first],
      ['approval.filed', second],
      ['approval.approved', second],
      ['approval.executed', second],
    ];
    for (const reader of [here, there]) {
      await reader.until(({ frames }) => frames.length >= 4);
      expect(told(reader)).toEqual(expected);
    }
  });

  it('goes on where a reader was cut off, and says when that is not known any more', async () => {
    const first = await open(one, workspace.admin);
    const key = await agent();
    const seen = await file(key);
    await first.until(({ frames }) => frames.length === 1);
    first.close();
    const missed = await file(key);
    const again = await open(other, workspace.admin, first.frames[0]?.id);
    await again.until(({ frames }) => frames.length === 1);
    expect(told(again)).toEqual([['approval.filed', missed]]);
    expect(told(first)).toEqual([['approval.filed', seen]]);
    const unknown = await open(one, workspace.admin, '999999999999');
    await unknown.until(({ frames }) => frames.length === 1);
    expect(unknown.frames).toMatchObject([{ event: 'reset' }]);
  });

  it('tells two members on two gateways all of it once and in order, over reconnections', async () => {
    for (const gateway of [one, other]) gateway.mail.visible = [mailbox];
    const keys = [await agent(), await agent()];
    const filed: string[] = [];
    const fileSome = async (): Promise<void> => {
      for (let i = 0; i < 5; i++)
        filed.push(...(await Promise.all(keys.map((key, at) => file(key, at ? other : one)))));
    };
    const people = [workspace.admin, member];
    let current: readonly Reader[] = await Promise.all([
      open(one, workspace.admin),
      open(other, member),
    ]);
    const seen: Frame[][] = [[], []];
    for (const gateways of [
      [other, one],
      [one, other],
      [other, one],
    ] as const) {
      const filing = fileSome();
      await Promise.all(current.map((reader) => reader.until(({ frames }) => frames.length > 2)));
      const next = current.map((reader, at) => {
        reader.close();
        seen[at]?.push(...reader.frames);
        return open(gateways[at] ?? one, people[at] ?? member, seen[at]?.at(-1)?.id);
      });
      current = await Promise.all(next);
      await filing;
    }
    for (const [at, reader] of current.entries()) {
      const before = seen[at] ?? [];
      await reader.until(({ frames }) => before.length + frames.length >= filed.length);
      const all = [...before, ...reader.frames];
      const positions = all.map(({ id }) => Number(id));
      expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
      const ids = all.map(({ data }) => (data['approval'] as { id: string }).id);
      expect([...ids].sort()).toEqual([...filed].sort());
    }
  });

  it('tells a member nothing of mailboxes that are not shared, nor of another workspace', async () => {
    const [theirs, mine] = [await open(one, member), await open(one, workspace.admin)];
    const stranger = await open(one, (await one.workspace()).admin);
    await file(await agent());
    // A notice to all members comes after it: by then it was judged for each reader.
    const id = newId('whk');
    await one.bus.emit([
      {
        ...{ id: newId('evn'), type: 'webhook.disabled', tenantId: workspace.id, resource: id },
        envelope: JSON.stringify({ webhook: { id } }),
      },
    ]);
    await theirs.until(({ frames }) => frames.length > 0);
    one.mail.visible = [mailbox];
    await file(await agent());
    await theirs.until(({ frames }) => frames.length > 1);
    await mine.until(({ frames }) => frames.length > 2);
    const typesOf = ({ frames }: Reader) => frames.map(({ event }) => event);
    expect(typesOf(theirs)).toEqual(['webhook.disabled', 'approval.filed']);
    expect(typesOf(mine)).toEqual(['approval.filed', 'webhook.disabled', 'approval.filed']);
    expect(stranger.frames).toEqual([]);
  });

  it('tells of conversations that have changed, once', async () => {
    one.mail.visible = [mailbox];
    const reader = await open(one, member);
    const id = newId('cnv');
    const event = {
      ...{ id: newId('evn'), type: 'conversation.labeled' as const },
      ...{ tenantId: workspace.id, resource: id, sequence: 1 },
      envelope: JSON.stringify({
        ...{ type: 'conversation.labeled', resource: { type: 'conversation', id } },
        data: { conversation: { id, mailbox, subject: 'Private' } },
      }),
    };
    await one.bus.emit([event]);
    await one.bus.emit([event]);
    await reader.until(({ frames }) => frames.length > 0);
    await sleep(300);
    expect(reader.frames).toMatchObject([
      { event: 'conversation.changed', data: { conversation: { id, mailbox } } },
    ]);
    expect(reader.text).not.toContain('Private');
  });

  it.each(['conversation.archived', 'conversation.reopened', 'conversation.snoozed'] as const)(
    'tells of %s, which has no public event, once and those who may see the mailbox',
    async (type) => {
      const [id, hidden] = [newId('cnv'), newId('cnv')];
      one.mail.visible = [mailbox];
      const reader = await open(one, member);
      const notice = (of: string, where: string) => ({
        ...{ id: newId('evn'), type, tenantId: workspace.id, resource: of, sequence: 1 },
        envelope: JSON.stringify({
          occurredAt: new Date().toISOString(),
          conversation: { id: of, mailbox: where },
        }),
      });
      const shown = notice(id, mailbox);
      await one.bus.emit([notice(hidden, 'private@acme.test'), shown]);
      await one.bus.emit([shown]);
      await reader.until(({ frames }) => frames.length > 0);
      await sleep(300);
      expect(reader.frames).toMatchObject([
        { event: 'conversation.changed', data: { conversation: { id, mailbox }, by: type } },
      ]);
      expect(reader.frames).toHaveLength(1);
    },
  );

  it('tells of drafts, imports, tasks and failed deliveries by their ids, to those who may see them', async () => {
    one.mail.visible = [mailbox];
    const [mine, theirs] = [await open(one, workspace.admin), await open(one, member)];
    const [drf, tsk] = [newId('drf'), newId('tsk')];
    const draft = { id: drf, mailbox, threadId: null, version: 3, sentBy: member.id };
    const events: readonly (readonly [string, object])[] = [
      ['draft.updated', { draft }],
      ['draft.failed', { draft: { ...draft, mailbox: 'private@acme.test' } }],
      ['import.done', { import: { id: 'imp_1', mailbox } }],
      ['delivery.failed', { delivery: { id: 'dlv_1', webhookId: 'whk_1', eventId: 'evn_1' } }],
      ['delivery.succeeded', { delivery: { id: 'dlv_2', webhookId: 'whk_1', eventId: 'evn_1' } }],
      [
        'task.created',
        { resource: { type: 'task', id: tsk }, data: { version: 1, title: 'Private' } },
      ],
    ];
    for (const [type, envelope] of events)
      await one.bus.emit([
        {
          ...{ id: newId('evn'), type, tenantId: workspace.id, resource: newId('cnv') },
          envelope: JSON.stringify(envelope),
          sequence: 1,
        } as never,
      ]);
    const toldTo = (reader: Reader) => reader.frames.map(({ event, data }) => [event, data['by']]);
    await theirs.until(({ frames }) => frames.length > 3);
    await mine.until(({ frames }) => frames.length > 4);
    const common = [['draft.updated', 'draft.updated']];
    const rest = [['import.done', 'import.done']];
    const last = [['task.created', 'task.created']];
    expect(toldTo(theirs)).toEqual([...common, ['draft.failed', 'draft.failed'], ...rest, ...last]);
    expect(toldTo(mine)).toEqual([
      ...common,
      ...rest,
      ['delivery.failed', 'delivery.failed'],
      ['delivery.succeeded', 'delivery.succeeded'],
      ...last,
    ]);
    expect(theirs.frames[0]?.data).toEqual({
      ...{ resource: { type: 'draft', id: drf }, mailbox, by: 'draft.updated', version: 3 },
    });
    expect(theirs.text).not.toContain('Private');
  });

  it('tells administrators of a key in use, by its id, and once a minute from every gateway', async () => {
    one.mail.visible = [mailbox];
    const [mine, theirs] = [await open(other, workspace.admin), await open(one, member)];
    const key = await one.key(workspace);
    const use = async (gateway: Gateway) =>
      expect((await gateway.ask(key, '/v1/me')).status).toBe(200);
    await use(one);
    await mine.until(({ frames }) => frames.length > 0);
    expect(mine.frames).toMatchObject([
      {
        event: 'key.used',
        data: { resource: { type: 'key', id: idOfKey(key) }, by: 'key.used', version: null },
      },
    ]);
    await use(one);
    await use(other);
    await other.restart();
    await one.change(`UPDATE keys SET last_used_at = now() - interval '1 minute' WHERE id = $1`, [
      idOfKey(key),
    ]);
    await use(other);
    const again = await open(one, workspace.admin, mine.frames[0]?.id);
    await again.until(({ frames }) => frames.length > 0);
    await file(await agent());
    await theirs.until(({ frames }) => frames.length > 0);
    expect(theirs.frames.map(({ event }) => event)).toEqual(['approval.filed']);
    const seen = again.frames.filter(({ event }) => event === 'key.used');
    expect(seen).toHaveLength(1);
  });

  it('tells of who looks at what, on every gateway, without keeping it, and so often at most', async () => {
    const id = newId('cnv');
    for (const gateway of [one, other]) gateway.mail.visible = [mailbox, id];
    const [own, theirs] = [await open(one, member), await open(other, workspace.admin)];
    const tell = (given: object) =>
      one.settings(member, 'POST', '/presence', { conversationId: id, mailbox, ...given });
    expect((await tell({ state: 'writing' })).status).toBe(200);
    await theirs.until(({ text }) => text.includes('event: presence'));
    const [, data = ''] = /event: presence\ndata: (.*)\n/.exec(theirs.text) ?? [];
    expect(JSON.parse(data)).toMatchObject({
      ...{ resource: { type: 'conversation', id }, mailbox, state: 'writing' },
      ...{ by: { id: member.id }, until: expect.stringMatching(/Z$/) },
    });
    expect([own.text.includes('presence'), theirs.frames.length]).toEqual([false, 0]);
    expect((await tell({ state: 'viewing', conversationId: newId('cnv') })).status).toBe(404);
    expect((await tell({ state: 'viewing', mailbox: 'private@acme.test' })).status).toBe(403);
    expect((await tell({ state: 'viewing', approvalId: newId('apr') })).status).toBe(400);
    expect((await tell({ state: 'away' })).status).toBe(400);
    const many = await Promise.all(Array.from({ length: 125 }, () => tell({ state: 'gone' })));
    expect(many.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
  });

  it('tells its place before the first event, and has no HEAD', async () => {
    const early = await open(one, workspace.admin);
    const [, place] = /^retry: \d+\nid: (\d+)\n\n/.exec(early.text) ?? [];
    expect(place).toBeDefined();
    early.close();
    const missed = await file(await agent());
    const again = await open(one, workspace.admin, place);
    await again.until(({ frames }) => frames.length > 0);
    expect(again.frames[0]?.event === 'reset' || String(told(again)).includes(missed)).toBe(true);
    const { cookie } = member;
    const head = await fetch(one.url('/settings/api/stream'), {
      method: 'HEAD',
      headers: { cookie },
    });
    expect([head.status, head.headers.get('allow')]).toEqual([405, 'GET']);
  });

  it('ends with the session, and is opened by nobody without one', async () => {
    const reader = await open(one, member);
    await one.rows('DELETE FROM sessions WHERE member_id = $1', [member.id]);
    await reader.until(({ isOver }) => isOver);
    await expect(open(one, member)).rejects.toThrow('status 401');
  });

  it('is open ten times a member at most', async () => {
    for (let i = 0; i < 10; i++) await open(one, member);
    await expect(open(one, member)).rejects.toThrow('status 429');
  });

  it('tells of a webhook that was disabled, once', async () => {
    const reader = await open(other, workspace.admin);
    const id = newId('whk');
    const event = {
      ...{
        id: newId('evn'),
        type: 'webhook.disabled' as const,
        tenantId: workspace.id,
        resource: id,
      },
      envelope: JSON.stringify({ webhook: { id, disabledReason: 'gone' } }),
    } as const;
    await one.bus.emit([event]);
    await one.bus.emit([event]);
    await reader.until(({ frames }) => frames.length > 0);
    await sleep(200);
    expect(reader.frames.map(({ event: name, data }) => ({ event: name, data }))).toEqual([
      { event: 'webhook.disabled', data: { webhook: { id, disabledReason: 'gone' } } },
    ]);
  });

  it('tells of reminders that are due, once, those who may see the calendar', async () => {
    const [theirs, mine] = [await open(one, member), await open(other, workspace.admin)];
    const [shared, personal] = [newId('cal'), newId('cal')];
    for (const gateway of [one, other]) gateway.elsewhere.push({ type: 'calendar', id: shared });
    const reminder = { eventId: newId('evt'), dueMs: 1, minutes: 10, late: true };
    const task = { taskId: newId('tsk'), dueMs: 2, minutes: 0, late: false };
    const tell = async (calendarId: string | null, reminders: readonly object[]) => {
      const event = {
        ...{ id: newId('evn'), type: 'reminder.due' as const, tenantId: workspace.id },
        ...{ resource: 'x reminders', sequence: 1 },
        envelope: JSON.stringify({ calendarId, reminders }),
      };
      await one.bus.emit([event]);
      await one.bus.emit([event]);
    };
    await tell(personal, [reminder]);
    await tell(shared, [reminder, { ...reminder, minutes: 5 }]);
    await tell(null, [task]);
    for (const reader of [theirs, mine]) {
      await reader.until(({ frames }) => frames.length >= 3);
      await sleep(200);
      expect(reader.frames.map(({ event, data }) => [event, data['reminder']])).toEqual([
        ['reminder.due', reminder],
        ['reminder.due', { ...reminder, minutes: 5 }],
        ['reminder.due', task],
      ]);
    }
  });

  it('ends when its gateway stops, which waits for no reader', async () => {
    const reader = await open(one, workspace.admin);
    const begin = globalThis.setTimeout;
    let isBrokenOff = false;
    // A request that is waited for is broken off when this timer ends.
    const watched = (act: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) =>
      begin(() => {
        if (ms === drainMaxMs) isBrokenOff ||= !reader.isOver;
        act(...given);
      }, ms);
    const timers = jest.spyOn(globalThis, 'setTimeout');
    timers.mockImplementation(watched as typeof setTimeout);
    await one.stop();
    timers.mockRestore();
    expect(isBrokenOff).toBe(false);
    await one.open();
    await reader.until(({ isOver }) => isOver);
  });
});
