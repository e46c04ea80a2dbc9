import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@postroom/contracts';
import { Gateway, type SomeMember, type SomeWorkspace } from '../../testing/gateway.js';
import type { MailCall } from '../../testing/mail-stand-in.js';
import { bodyOf, type Answer } from '../../testing/http.js';

const mailbox = 'support@acme.test';

/** The unknown references that the gateway reported to the service with a call. */
const unknownIn = (call: MailCall | undefined): unknown =>
  (JSON.parse(call?.request.references ?? '{}') as { unknown?: unknown }).unknown;

describe('what an input names', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;
  let member: SomeMember;
  let key: string;

  beforeAll(async () => {
    gateway = await Gateway.start();
    workspace = await gateway.workspace();
    member = await gateway.member(workspace);
    const scopes = ['write:conversations'] as const;
    key = await gateway.key(workspace, { scopes, grants: { [mailbox]: 'write' } });
  });
  afterAll(() => gateway.close());
  beforeEach(() => {
    gateway.mail.calls.length = 0;
  });

  const assign = (body: object): Promise<Answer> =>
    gateway.ask(key, `/v1/conversations/${newId('cnv')}/assign`, {
      method: 'POST',
      body: { mailbox, ...body },
    });
  const team = async (of: SomeWorkspace): Promise<string> => {
    const answer = await gateway.settings(of.admin, 'POST', '/teams', { name: 'A' });
    return (JSON.parse(answer.text) as { team: { id: string } }).team.id;
  };

  it('is passed on when it is the workspace’s own', async () => {
    const teamId = await team(workspace);
    const answer = await assign({ assignee: member.email.toUpperCase(), teamId });
    expect(answer.status).toBe(200);
    expect(gateway.mail.calls[0]?.input).toMatchObject({ assignee: member.email, teamId });
  });

  it('may be nobody, or not be given', async () => {
    for (const body of [{ assignee: null, teamId: null }, {}]) {
      expect((await assign(body)).status).toBe(200);
    }
  });

  it('is told of to the service when it is not there: a repeat is answered all the same', async () => {
    const elsewhere = await gateway.workspace();
    const gone = await gateway.member(workspace);
    await gateway.change('UPDATE members SET active = false WHERE id = $1', [gone.id]);
    for (const assignee of ['nobody@acme.test', elsewhere.admin.email, gone.email]) {
      for (const teamId of [newId('tea'), await team(await gateway.workspace()), 'x']) {
        gateway.mail.calls.length = 0;
        expect((await assign({ assignee, teamId })).status).toBe(200);
        expect(unknownIn(gateway.mail.calls[0])).toEqual([
          { field: 'assignee', name: assignee },
          { field: 'teamId', name: expect.stringMatching(/^tea_/) },
        ]);
      }
    }
  });

  it('in a list of members is told of one by one', async () => {
    const unknown = newId('mbr');
    const body = { address: mailbox, access: [member.id, unknown] };
    await gateway.settings(workspace.admin, 'POST', '/mailboxes', body);
    expect(unknownIn(gateway.mail.calls[0])).toEqual([{ field: 'access', name: unknown }]);
    const good = { address: mailbox, access: [member.id] };
    await gateway.settings(workspace.admin, 'POST', '/mailboxes', good);
    expect(gateway.mail.calls[1]?.request.references).toBeNull();
  });
});

describe('the conversation and team of a task or an event', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;
  let key: string;

  beforeAll(async () => {
    gateway = await Gateway.start();
    workspace = await gateway.workspace();
    const scopes = ['write:tasks', 'write:calendar'] as const;
    key = await gateway.key(workspace, { scopes, member: workspace.admin });
  });
  afterAll(() => gateway.close());

  const times = { startMs: 1_800_000_000_000, endMs: 1_800_003_600_000 };
  const event = { calendarId: newId('cal'), title: 'x', ...times };
  const taskPath = `/v1/tasks/${newId('tsk')}`;
  const eventPath = `/v1/calendar-events/${newId('evt')}`;
  it.each([
    ['POST', '/v1/tasks', (named: object) => ({ title: 'x', ...named }), ''],
    ['POST', '/v1/tasks', (named: object) => ({ task: { title: 'x', ...named } }), 'task.'],
    ['PATCH', taskPath, (named: object) => named, ''],
    ['PATCH', taskPath, (named: object) => ({ task: named }), 'task.'],
    ['POST', '/v1/calendar-events', (named: object) => ({ ...event, ...named }), ''],
    ['PATCH', eventPath, (named: object) => named, ''],
  ] as const)(
    'are told of to the service where the caller does not see them (%s %s)',
    async (method, path, bodyWith, within) => {
      const seen = newId('cnv');
      gateway.mail.visible = [seen];
      const unknownOf = async (named: object): Promise<unknown> => {
        gateway.scheduling.calls.length = 0;
        await gateway.ask(key, path, { method, body: bodyWith(named) });
        return unknownIn(gateway.scheduling.calls[0]);
      };
      expect(await unknownOf({ threadId: seen })).toBeUndefined();
      expect(await unknownOf({ threadId: null })).toBeUndefined();
      const threadId = newId('cnv');
      const thread = { field: `${within}threadId`, name: threadId };
      expect(await unknownOf({ threadId })).toEqual([thread]);
      if (path.includes('calendar')) return;
      const teamId = newId('tea');
      expect(await unknownOf({ threadId, teamId })).toEqual([
        ...[{ field: `${within}teamId`, name: teamId }, thread],
      ]);
    },
  );
});

describe('a rule of the operation', () => {
  let gateway: Gateway;
  let key: string;

  beforeAll(async () => {
    gateway = await Gateway.start();
    const workspace = await gateway.workspace();
    const scopes = ['write:conversations'] as const;
    key = await gateway.key(workspace, { scopes });
  });
  afterAll(() => gateway.close());

  it('is judged with the fields, before the mailbox', async () => {
    const ask = (body: object): Promise<Answer> =>
      gateway.ask(key, `/v1/conversations/${newId('cnv')}/labels`, { method: 'POST', body });
    const answer = await ask({ mailbox, add: [], remove: [] });
    expect(answer.status).toBe(400);
    expect(bodyOf(answer)['details']).toEqual([
      { field: 'add', code: 'REQUIRED', message: expect.any(String) },
    ]);
    expect((await ask({ mailbox, add: ['VIP'] })).status).toBe(403);
  });
});
