import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  linkPages,
  linksPageMax,
  newId,
  type LinkBesideMail,
  type LinkPage,
  type VisibleCalendar,
} from '@postroom/contracts';
import { aMember, anAdmin } from '@postroom/service-testing';
import { SchedulingService } from './testing/scheduling-service.js';

describe('pages of calendars and links', () => {
  let service: SchedulingService;
  beforeAll(async () => {
    service = await SchedulingService.start();
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
  const task = (tenantId: string, given: object) => service.task(aMember({ tenantId }), given);

  it('say who may see a calendar, and what is about which conversation', async () => {
    const caller = aMember();
    const { tenantId } = caller;
    const calendar = await service.calendar(caller);
    const threadId = newId('cnv');
    const times = { startMs: 1_800_000_000_000, endMs: 1_800_000_060_000 };
    const meeting = { calendarId: calendar.id, title: 'Meeting', ...times };
    const event = await service.event(caller, { ...meeting, threadId });
    await service.event(caller, meeting);
    const linked = await task(tenantId, { threadId });
    await task(tenantId, {});
    await task(newId('ten'), { threadId });
    await service.updateTask(caller, linked.id, { title: 'Later' });
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
