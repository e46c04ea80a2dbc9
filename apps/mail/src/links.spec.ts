import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '@postroom/access';
import {
  conversations,
  learntLinks,
  newId,
  type CalendarCreated,
  type CalendarEvent,
  type ConversationAnswer,
  type ConversationLinks,
  type Done,
  type EventEnvelope,
  type EventType,
  type LearnLinkPage,
  type LinkBesideMail,
  type Task,
} from '@postroom/contracts';
import { aKey, aMember, anAdmin } from '@postroom/service-testing';
import { eventually } from '@postroom/testing/until';
import { MailService, type MailboxOf } from './testing/mail-service.js';

type Linked = Task | CalendarEvent;

const now = new Date().toISOString();
const createdBy = { type: 'key', id: newId('key') } as const;
const stamps = { createdBy, createdAt: now, updatedAt: now, version: 1 };

describe('links of a conversation', () => {
  let service: MailService;
  beforeAll(async () => {
    service = await MailService.start();
  });
  afterAll(() => service.close());

  const tell = async (
    { tenantId }: MailboxOf,
    type: EventType,
    data: Linked,
    { sequence = 1, previous = null }: { sequence?: number; previous?: object | null } = {},
  ): Promise<EventEnvelope> => {
    const event: EventEnvelope = {
      ...{ id: newId('evn'), type, tenantId, apiVersion: 'v1', source: 'api', data, previous },
      occurredAt: new Date().toISOString(),
      resource: { type: type.startsWith('task') ? 'task' : 'calendar_event', id: data.id },
      actor: { type: 'key', id: newId('key') },
      sequence,
    };
    await deliver(event);
    return event;
  };
  const deliver = (event: EventEnvelope): Promise<unknown> => {
    const { id, type, tenantId, resource } = event;
    const envelope = JSON.stringify(event);
    return service.bus.emit([{ id, type, tenantId, resource: resource.id, envelope }]);
  };
  const calendar = async (
    { tenantId }: MailboxOf,
    { isShared = true, ownerId = newId('mbr') } = {},
  ): Promise<string> => {
    const id = newId('cal');
    const created: CalendarCreated = { calendar: { id, isShared, ownerId } };
    const envelope = JSON.stringify(created);
    const type = 'calendar.created';
    await service.bus.emit([{ id: newId('evn'), type, tenantId, resource: id, envelope }]);
    return id;
  };
  const task = (threadId: string | null, title = 'Call back'): Task => ({
    ...{ id: newId('tsk'), title, notes: '', status: 'todo', priority: 'normal', assignee: null },
    ...{ teamId: null, dueMs: null, timeZone: 'UTC', threadId, recurrence: null, reminders: [] },
    ...{ source: 'manual', completedAt: null, completedBy: null, previousTaskId: null },
    ...{ nextTaskId: null, ...stamps },
  });
  const meeting = (threadId: string, calendarId: string, title = 'Meeting'): CalendarEvent => ({
    ...{ id: newId('evt'), calendarId, uid: 'a@postroom', title, description: '', location: '' },
    ...{ startMs: 1, endMs: 2, timeZone: 'UTC', allDay: false, status: 'confirmed', busy: true },
    visibility: 'public',
    ...{ organizer: null, attendees: [], recurrence: null, overrides: [], reminders: [] },
    ...{ conferenceLink: null, threadId, ...stamps },
  });
  const asked = async (
    { address }: MailboxOf,
    id: string,
    caller: Caller,
  ): Promise<ConversationLinks> => {
    const answer = await service.call<ConversationAnswer>(
      conversations.get,
      { id, mailbox: address },
      { caller },
    );
    expect(answer.problem).toBeNull();
    return answer.body.conversation.links;
  };
  /** The links once they are what is expected; events take effect within moments. */
  const expectLinks = async (
    mailbox: MailboxOf,
    id: string,
    expected: ConversationLinks,
    caller: Caller = aMember({ tenantId: mailbox.tenantId }),
  ): Promise<void> => {
    await eventually(
      () => asked(mailbox, id, caller),
      (links) => isDeepStrictEqual(links, expected),
    );
  };
  const shown = ({ id, title }: Linked) => ({ id, title });

  it('are its tasks and events, oldest first, as their last change has them', async () => {
    const mailbox = await service.mailbox();
    const { id } = await service.conversation(mailbox);
    const [one, two] = [task(id), task(id, 'Write')];
    await tell(mailbox, 'task.created', one);
    await tell(mailbox, 'task.created', two);
    const held = meeting(id, await calendar(mailbox));
    await tell(mailbox, 'calendar_event.created', held);
    const renamed = { ...one, title: 'Call back soon' };
    const change = { sequence: 2, previous: { title: one.title } };
    await tell(mailbox, 'task.updated', renamed, change);
    const tasks = [shown(renamed), shown(two)].sort((a, b) => (a.id < b.id ? -1 : 1));
    await expectLinks(mailbox, id, { tasks, events: [shown(held)] });
  });

  it('end when a task leaves the conversation, or is deleted', async () => {
    const mailbox = await service.mailbox();
    const { id } = await service.conversation(mailbox);
    const [leaving, deleted, staying] = [task(id), task(id), task(id)];
    for (const one of [leaving, deleted, staying]) await tell(mailbox, 'task.created', one);
    const left = { sequence: 2, previous: { threadId: id } };
    await tell(mailbox, 'task.updated', { ...leaving, threadId: null }, left);
    await tell(mailbox, 'task.deleted', deleted, { sequence: 2 });
    await expectLinks(mailbox, id, { tasks: [shown(staying)], events: [] });
  });

  it('are not brought back by an event that comes again, or too late', async () => {
    const mailbox = await service.mailbox();
    const { id } = await service.conversation(mailbox);
    const late = task(id, 'Late');
    await tell(mailbox, 'task.deleted', late, { sequence: 2 });
    await tell(mailbox, 'task.created', late);
    const twice = task(id, 'Twice');
    const created = await tell(mailbox, 'task.created', twice);
    await deliver(created);
    await expectLinks(mailbox, id, { tasks: [shown(twice)], events: [] });
  });

  it('show an event of a personal calendar to its owner alone', async () => {
    const mailbox = await service.mailbox();
    const { tenantId } = mailbox;
    const { id } = await service.conversation(mailbox);
    const owner = aMember({ tenantId });
    const personal = await calendar(mailbox, { isShared: false, ownerId: owner.memberId });
    const secret = meeting(id, personal, 'Interview');
    await tell(mailbox, 'calendar_event.created', secret);
    await expectLinks(mailbox, id, { tasks: [], events: [shown(secret)] }, owner);
    const other = aMember({ tenantId });
    expect(await asked(mailbox, id, other)).toEqual({ tasks: [], events: [] });
  });

  it('are shown to keys that may read tasks or events, and to no other', async () => {
    const mailbox = await service.mailbox();
    const { tenantId } = mailbox;
    const { id } = await service.conversation(mailbox);
    const [todo, held] = [task(id), meeting(id, await calendar(mailbox))];
    await tell(mailbox, 'task.created', todo);
    await tell(mailbox, 'calendar_event.created', held);
    const both = { tasks: [shown(todo)], events: [shown(held)] };
    await expectLinks(mailbox, id, both);
    const member = { id: newId('mbr'), email: 'max@acme.test' };
    const key = (given: Parameters<typeof aKey>[0]) =>
      asked(mailbox, id, aKey({ tenantId, ...given }));
    expect(await key({ member, scopes: ['read:conversations', 'read:tasks'] })).toEqual({
      ...both,
      events: [],
    });
    expect(await key({ member, scopes: ['read:conversations', 'read:calendar'] })).toEqual({
      ...both,
      tasks: [],
    });
    expect(await key({ member: null })).toEqual({ tasks: [], events: [] });
  });

  describe('that are rebuilt', () => {
    const pageOf = (
      { id, title, threadId }: Linked,
      { calendarId = null, sequence = 1 }: Partial<LinkBesideMail> = {},
    ): LinkBesideMail => ({ id, title, threadId: threadId ?? '', calendarId, sequence });
    const rebuilt = async (
      { tenantId }: MailboxOf,
      given: Partial<LearnLinkPage>,
    ): Promise<void> => {
      const soon = new Date(Date.now() + 3_600_000).toISOString();
      const input = { calendars: [], links: [], from: '', after: null, at: soon, ...given };
      const caller = anAdmin({ tenantId });
      const answer = await service.call<Done>(learntLinks.learn, input, { caller });
      expect(answer.problem).toBeNull();
    };

    it('are what scheduling has, however little was known or much that is gone', async () => {
      const mailbox = await service.mailbox();
      const { id } = await service.conversation(mailbox);
      const shared = { id: newId('cal'), isShared: true, ownerId: newId('mbr') };
      const [todo, held] = [task(id), meeting(id, shared.id)];
      const links = [pageOf(todo), pageOf(held, { calendarId: shared.id })];
      const both = { tasks: [shown(todo)], events: [shown(held)] };
      await rebuilt(mailbox, { calendars: [shared], links });
      await expectLinks(mailbox, id, both);
      await rebuilt(mailbox, { calendars: [shared], links });
      await expectLinks(mailbox, id, both);
      await rebuilt(mailbox, { from: todo.id });
      await rebuilt(mailbox, { after: held.id.slice(0, -1) });
      await expectLinks(mailbox, id, both);
      await rebuilt(mailbox, { links: [pageOf(todo)] });
      await expectLinks(mailbox, id, { ...both, events: [] });
    });

    it('are what scheduling has, whose numbers are lower since it was restored', async () => {
      const mailbox = await service.mailbox();
      const { id } = await service.conversation(mailbox);
      const todo = task(id);
      const later = { ...todo, title: 'Later' };
      await tell(mailbox, 'task.created', later, { sequence: 9 });
      await expectLinks(mailbox, id, { tasks: [shown(later)], events: [] });
      await rebuilt(mailbox, { links: [pageOf(todo, { sequence: 5 })] });
      await expectLinks(mailbox, id, { tasks: [shown(todo)], events: [] });
    });

    it('are not those of a page that events have overtaken', async () => {
      const mailbox = await service.mailbox();
      const { id } = await service.conversation(mailbox);
      const [renamed, deleted, created] = [task(id), task(id), task(id)];
      const read = [pageOf(renamed), pageOf(deleted)];
      const now = { ...renamed, title: 'Renamed' };
      await tell(mailbox, 'task.updated', now, { sequence: 2, previous: { title: 'Call back' } });
      await tell(mailbox, 'task.deleted', deleted, { sequence: 2 });
      await tell(mailbox, 'task.created', created);
      const tasks = [shown(now), shown(created)].sort((a, b) => (a.id < b.id ? -1 : 1));
      await expectLinks(mailbox, id, { tasks, events: [] });
      await rebuilt(mailbox, { links: read, at: new Date().toISOString() });
      expect(await asked(mailbox, id, aMember({ tenantId: mailbox.tenantId }))).toEqual({
        tasks,
        events: [],
      });
    });
  });

  it('of another workspace are not shown, whatever conversation they name', async () => {
    const mailbox = await service.mailbox();
    const stranger = await service.mailbox();
    const { id } = await service.conversation(mailbox);
    const [own, foreign] = [task(id), task(id, 'Foreign')];
    await tell(stranger, 'task.created', foreign);
    await tell(mailbox, 'task.created', own);
    await expectLinks(mailbox, id, { tasks: [shown(own)], events: [] });
  });
});
