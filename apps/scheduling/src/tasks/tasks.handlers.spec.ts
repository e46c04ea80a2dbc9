import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Caller } from '@postroom/access';
import { newId, tasks, unknownId, type TaskPage } from '@postroom/contracts';
import { aKey, aMember } from '@postroom/service-testing';
import { SchedulingService } from '../testing/scheduling-service.js';

let service: SchedulingService;
beforeAll(async () => {
  service = await SchedulingService.start();
});
afterAll(() => service.close());

const someone = (tenantId = newId('ten')): Caller => aMember({ tenantId });
const dayMs = 86_400_000;
// Ahead of what any clock shows while this runs.
const dueMs = Date.parse('2126-03-27T08:00:00Z');

const create: SchedulingService['createTask'] = (...given) => service.createTask(...given);
const made = (caller: Caller, given: object) => service.task(caller, given);
const update: SchedulingService['updateTask'] = (...given) => service.updateTask(...given);
const list = async (caller: Caller, given: object = {}): Promise<TaskPage> =>
  (await service.call<TaskPage>(tasks.list, { limit: 200, ...given }, { caller })).body;
const typesOf = (caller: Caller) => service.eventTypes(caller);

describe('tasks.create', () => {
  it('answers the task with its defaults, and emits it', async () => {
    const caller = someone();
    const answer = await create(caller, { title: ' Call back ' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      task: {
        ...{ id: expect.stringMatching(/^tsk_/), title: 'Call back', notes: '', status: 'todo' },
        ...{ priority: 'normal', assignee: null, teamId: null, dueMs: null, timeZone: 'UTC' },
        ...{ threadId: null, recurrence: null, reminders: [], source: 'manual' },
        createdBy: { type: 'member', id: expect.any(String) },
        createdAt: expect.stringMatching(/Z$/),
        updatedAt: expect.stringMatching(/Z$/),
        ...{ completedAt: null, completedBy: null, previousTaskId: null, nextTaskId: null },
        version: 1,
      },
    });
    const [event] = await service.events(caller);
    expect(event).toMatchObject({ type: 'task.created', sequence: 1, data: answer.body.task });
    expect(await service.audit(caller)).toMatchObject([
      { action: 'tasks.create', subjectId: answer.body.task.id },
    ]);
  });

  it.each(['threadId', 'task.threadId', 'teamId', 'task.teamId'])(
    'refuses a %s that nobody has, and one that is changed to it; what it named before may stay',
    async (field) => {
      const caller = someone();
      const name = field.split('.').at(-1) ?? '';
      const id = newId(name === 'teamId' ? 'tea' : 'cnv');
      const unknown = { caller, unknownReferences: { [field]: [id] } };
      const naming = (given: object) => (field === name ? given : { task: given });
      const given = { title: 'Call back', [name]: id };
      const refused = {
        violations: [{ field, fault: 'UNKNOWN_VALUE', message: expect.anything() }],
      };
      expect((await service.call(tasks.create, naming(given), unknown)).body).toEqual(refused);
      expect((await list(caller)).total).toBe(0);
      const { id: other } = await made(caller, { title: 'Other' });
      const change = { id: other, ...naming({ [name]: id }) };
      expect((await service.call(tasks.update, change, unknown)).body).toEqual(refused);
      const { id: task } = await made(caller, given);
      const kept = { id: task, ...naming({ [name]: id, notes: 'x' }) };
      expect((await service.call(tasks.update, kept, unknown)).status).toBe(200);
    },
  );

  it('makes one task of a title and a conversation, however many ask at once', async () => {
    const caller = someone();
    const threadId = newId('cnv');
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => create(caller, { title: 'Same', threadId, notes: 'x' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array<number>(9).fill(200),
      201,
    ]);
    expect(new Set(answers.map(({ body }) => body.task.id)).size).toBe(1);
    const again = await create(caller, { title: 'Same', threadId, notes: 'other' });
    expect(again.body).toMatchObject({ existed: true, task: { notes: 'x', version: 1 } });
    expect(await typesOf(caller)).toEqual(['task.created']);
    expect((await create(caller, { title: 'Same' })).status).toBe(201);
    expect((await create(someone(), { title: 'Same', threadId })).status).toBe(201);
  });

  it('keeps sources of the server from clients', async () => {
    for (const source of ['ai', 'rule', 'sync']) {
      expect((await create(someone(), { title: 'x', source })).problem).toBe('SOURCE_FORBIDDEN');
    }
    expect((await made(someone(), { source: 'mail' })).source).toBe('mail');
  });

  it('answers a rule in both forms, and refuses one without a due date', async () => {
    const rule = { rrule: 'FREQ=MONTHLY;BYDAY=-1FR', timeZone: 'Europe/Paris' };
    const { recurrence } = await made(someone(), { dueMs, recurrence: rule });
    expect(recurrence).toMatchObject({ freq: 'monthly', byDay: ['-1FR'], ...rule });
    const { problem } = await create(someone(), { title: 'x', recurrence: rule });
    expect(problem).toBe('INVALID_REQUEST');
  });
});

describe('tasks.update', () => {
  it('keeps what is absent, clears what is null, and tells what was before', async () => {
    const caller = someone();
    const task = await made(caller, { notes: 'Old', dueMs, assignee: 'max@acme.test' });
    const answer = await update(caller, task.id, { notes: null, priority: 'high' });
    expect(answer.body.task).toMatchObject({
      ...task,
      ...{ notes: '', priority: 'high' },
      version: 2,
      updatedAt: expect.any(String),
    });
    expect((await service.events(caller)).at(-1)).toMatchObject({
      ...{ type: 'task.updated', sequence: 2, previous: { notes: 'Old', priority: 'normal' } },
    });
    const same = await update(caller, task.id, { priority: 'high' });
    expect(same.body.task.version).toBe(2);
    expect(await typesOf(caller)).toEqual(['task.created', 'task.updated']);
  });

  it('refuses another version, another workspace, and a rule that loses its due date', async () => {
    const caller = someone();
    const task = await made(caller, { dueMs, recurrence: { freq: 'daily' } });
    const stale = await update(caller, task.id, { title: 'x', ifMatch: 7 });
    expect(stale.problem).toBe('VERSION_CONFLICT');
    expect((await update(someone(), task.id, { title: 'x' })).problem).toBe('TASK_NOT_FOUND');
    expect((await update(caller, task.id, { dueMs: null })).problem).toBe('INVALID_REQUEST');
    expect((await update(caller, unknownId('tsk'), {})).problem).toBe('TASK_NOT_FOUND');
  });

  it('counts what is excepted when a rule that ends is repeated', async () => {
    const caller = someone();
    const exceptMs = [dueMs + dayMs];
    const task = await made(caller, { dueMs, recurrence: { freq: 'daily', count: 4, exceptMs } });
    const { nextTaskId } = (await update(caller, task.id, { status: 'done' })).body.task;
    const next = (await list(caller)).tasks.find(({ id }) => id === nextTaskId);
    expect(next).toMatchObject({ dueMs: dueMs + 2 * dayMs, recurrence: { count: 2 } });
  });

  it('reopens what was done', async () => {
    const caller = someone();
    const { id } = await made(caller, {});
    expect((await update(caller, id, { status: 'done' })).body.task).toMatchObject({
      completedAt: expect.any(String),
      completedBy: { type: 'member' },
    });
    expect((await update(caller, id, { status: 'in_progress' })).body.task).toMatchObject({
      completedAt: null,
      completedBy: null,
    });
    expect(await typesOf(caller)).toEqual(['task.created', 'task.completed', 'task.updated']);
  });

  it('makes the next occurrence once, however often and however concurrently it is done', async () => {
    const caller = someone();
    const recurrence = { freq: 'daily', timeZone: 'Europe/Paris', count: 3 } as const;
    const task = await made(caller, { dueMs, recurrence, reminders: [{ minutes: 5 }] });
    await Promise.all(
      Array.from({ length: 20 }, () => update(caller, task.id, { status: 'done' })),
    );
    await update(caller, task.id, { status: 'todo' });
    await update(caller, task.id, { status: 'done' });
    const { tasks: all } = await list(caller);
    expect(all).toHaveLength(2);
    const [next, done] = all;
    expect(done).toMatchObject({ id: task.id, status: 'done', nextTaskId: next?.id });
    expect(next).toMatchObject({
      ...{
        status: 'todo',
        previousTaskId: task.id,
        reminders: [{ minutes: 5 }],
        completedAt: null,
      },
      // At the same time of day, also over the change of clocks.
      dueMs: dueMs + 86_400_000,
      recurrence: { count: 2 },
    });
    const types = await typesOf(caller);
    expect(types.filter((type) => type === 'task.created')).toHaveLength(2);
    expect(types.filter((type) => type === 'task.completed')).toHaveLength(2);
  });

  it('ends a rule that has come to its end', async () => {
    const caller = someone();
    const task = await made(caller, { dueMs, recurrence: { freq: 'weekly', count: 1 } });
    const { body } = await update(caller, task.id, { status: 'done' });
    expect(body.task.nextTaskId).toBeNull();
    expect((await list(caller)).total).toBe(1);
  });
});

describe('tasks.list', () => {
  it('filters, searches without accents, and pages the newest first', async () => {
    const caller = someone();
    const team = newId('tea');
    const one = await made(caller, { title: 'Rappeler Élodie', assignee: 'max@acme.test', dueMs });
    const two = await made(caller, { title: 'Other', notes: '100 %_x', teamId: team });
    const three = await made(caller, { title: 'Third', status: 'in_progress', dueMs: dueMs + 1 });
    const ids = async (filters: object): Promise<string[]> =>
      (await list(caller, filters)).tasks.map(({ id }) => id);
    expect(await ids({})).toEqual([three.id, two.id, one.id]);
    expect(await ids({ q: 'ELODIE rappe' })).toEqual([one.id]);
    expect(await ids({ q: '%_' })).toEqual([two.id]);
    expect(await ids({ assignee: 'max@acme.test' })).toEqual([one.id]);
    expect(await ids({ teamId: team })).toEqual([two.id]);
    expect(await ids({ status: 'in_progress' })).toEqual([three.id]);
    expect(await ids({ dueBefore: dueMs + 1 })).toEqual([one.id]);
    expect(await ids({ dueAfter: dueMs + 1 })).toEqual([three.id]);
    const first = await list(caller, { limit: 2 });
    expect(first).toMatchObject({ total: 3, truncated: true, me: 'max@acme.test' });
    await made(caller, { title: 'Later' });
    const second = await list(caller, { limit: 2, pageToken: first.nextPageToken });
    expect(second.tasks.map(({ id }) => id)).toEqual([one.id]);
    expect(second).toMatchObject({ total: 4, truncated: false, nextPageToken: null });
    const elsewhere = { pageToken: first.nextPageToken, limit: 2, status: 'todo' };
    const refused = await service.call(tasks.list, elsewhere as never, { caller });
    expect(refused.problem).toBe('INVALID_PAGE_TOKEN');
    expect(await list(someone())).toMatchObject({ tasks: [], total: 0 });
  });
});

describe('tasks.get and tasks.remove', () => {
  it('know the tasks of the workspace alone', async () => {
    const caller = aKey({ member: { id: newId('mbr'), email: 'ada@acme.test' } });
    const task = await made(caller, {});
    const read = await service.call(tasks.get, { id: task.id }, { caller });
    expect(read.body).toEqual({ task, me: 'ada@acme.test' });
    const other = { caller: someone() };
    expect((await service.call(tasks.get, { id: task.id }, other)).problem).toBe('TASK_NOT_FOUND');
    expect((await service.call(tasks.remove, { id: task.id }, other)).problem).toBe(
      'TASK_NOT_FOUND',
    );
    const removed = await service.call(tasks.remove, { id: task.id, ifMatch: 1 }, { caller });
    expect([removed.status, removed.body]).toEqual([200, { ok: true }]);
    expect((await service.events(caller)).at(-1)).toMatchObject({
      ...{ type: 'task.deleted', sequence: 2, data: task },
    });
    expect((await service.call(tasks.get, { id: task.id }, { caller })).problem).toBe(
      'TASK_NOT_FOUND',
    );
  });
});
