import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  calendarEvents,
  calendars,
  linkPages,
  linksPageMax,
  newId,
  tasks,
  type Calendar,
  type CalendarEvent,
  type LinkBesideMail,
  type LinkPage,
  type Task,
  type VisibleCalendar,
} from '@postroom/contracts';
import { aMember, anAdmin, TestService } from '@postroom/service-testing';
import { schedulingService } from './scheduling-app.js';

describe('pages of calendars and links', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await TestService.launch(schedulingService);
  });
  afterAll(() => service.close());

  /** All that a walk finds, and how many pages it took. */
  const walk = async (tenantId: string) => {
    const caller = anAdmin({ tenantId });
    const read = async (after: string): Promise<LinkPage> => {
      const answer = await service.call<LinkPage>(linkPages.read, { after }, { caller });
      expect(answer.problem).toBeNull();
      return answer.body;
    };
    const found: VisibleCalendar[] = [];
    const links: LinkBesideMail[] = [];
    let pages = 0;
    for (let after: string | null = ''; after !== null; pages++) {
      const page: LinkPage = await read(after);
      found.push(...page.calendars);
      links.push(...page.links);
      ({ after } = page);
    }
    return { calendars: found, links, pages };
  };
  const task = async (tenantId: string, given: object): Promise<Task> => {
    const caller = aMember({ tenantId });
    const input = { title: 'Call back', ...given };
    return (await service.call<{ task: Task }>(tasks.create, input, { caller })).body.task;
  };

  it('say who may see a calendar, and what is about which conversation', async () => {
    const caller = aMember();
    const { tenantId } = caller;
    const input = { name: 'Own', scope: 'personal' as const };
    const { calendar } = (
      await service.call<{ calendar: Calendar }>(calendars.create, input, { caller })
    ).body;
    const threadId = newId('cnv');
    const times = { startMs: 1_800_000_000_000, endMs: 1_800_000_060_000 };
    const meeting = { calendarId: calendar.id, title: 'Meeting', ...times };
    const create = async (given: object): Promise<CalendarEvent> =>
      (await service.call<{ event: CalendarEvent }>(calendarEvents.create, given, { caller })).body
        .event;
    const event = await create({ ...meeting, threadId });
    await create(meeting);
    const linked = await task(tenantId, { threadId });
    await task(tenantId, {});
    await task(newId('ten'), { threadId });
    await service.call(tasks.update, { id: linked.id, title: 'Later' }, { caller });
    expect(await walk(tenantId)).toEqual({
      calendars: [{ id: calendar.id, isShared: false, ownerId: caller.memberId }],
      links: [
        { id: event.id, title: 'Meeting', threadId, calendarId: calendar.id, sequence: 1 },
        { id: linked.id, title: 'Later', threadId, calendarId: null, sequence: 2 },
      ],
      pages: 2,
    });
  });

  it('have each link once', async () => {
    const tenantId = newId('ten');
    const count = linksPageMax + 1;
    const { id } = await task(tenantId, { threadId: newId('cnv') });
    await service.rows(
      `INSERT INTO tasks SELECT (jsonb_populate_record(t, jsonb_build_object('id', t.id || i))).*
       FROM tasks t, generate_series(2, $2) i WHERE t.id = $1`,
      [id, count],
    );
    const { links, pages } = await walk(tenantId);
    expect(links).toHaveLength(count);
    expect(new Set(links.map((link) => link.id)).size).toBe(count);
    expect(pages).toBe(3);
  });
});
