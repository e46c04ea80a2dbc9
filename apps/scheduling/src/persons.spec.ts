import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  erasedAddress,
  schedulingPersons,
  type ErasureStep,
  type PersonLines,
} from '@postroom/contracts';
import { aMember, anAdmin } from '@postroom/service-testing';
import { SchedulingService } from './testing/scheduling-service.js';

const email = 'ann@x.test';
const startMs = Date.parse('2027-03-01T09:00:00Z');
const times = { startMs, endMs: startMs + 3_600_000 };

describe('events of a correspondent', () => {
  let service: SchedulingService;
  beforeAll(async () => {
    service = await SchedulingService.start();
  });
  afterAll(() => service.close());

  it('are exported, counted, and name the person no more, in the series and in its occurrences', async () => {
    const member = aMember();
    const caller = anAdmin({ tenantId: member.tenantId });
    const attendees = [
      { email: 'Ann@X.test', name: 'Ann' },
      { email: 'bob@x.test', name: 'Bob' },
    ];
    const organizer = { email, name: 'Ann' };
    const recurrence = { freq: 'daily', count: 3 };
    const given = { ...times, attendees, organizer, recurrence };
    const series = await service.event(member, given);
    const change = { occurrenceStartMs: startMs, attendees: [{ email, name: 'Ann' }] };
    await service.updateEvent(member, series.id, change);
    const other = aMember();
    const elsewhere = await service.event(other, given);
    await service.event(member, { ...times, attendees: [{ email: 'ann@x.test.example' }] });

    const asked = { email, after: '' };
    const { body } = await service.call<PersonLines>(schedulingPersons.export, asked, { caller });
    expect(body.lines.split('\n').map((line) => line.slice(0, 15))).toEqual([
      '{"type":"event"',
      '',
    ]);
    const erase = async (dryRun: boolean): Promise<ErasureStep> =>
      (await service.call<ErasureStep>(schedulingPersons.erase, { ...asked, dryRun }, { caller }))
        .body;
    const before = await service.eventNow(member, series);
    expect(await erase(true)).toMatchObject({ events: 1, after: null });
    expect(await service.eventNow(member, series)).toEqual(before);
    expect(await erase(false)).toMatchObject({ events: 1, after: null });
    const erased = { email: erasedAddress, name: null };
    expect(await service.eventNow(member, series)).toMatchObject({
      ...{ organizer: erased, version: before.version + 1 },
      attendees: [erased, { email: 'bob@x.test', name: 'Bob' }],
      overrides: [{ occurrenceStartMs: startMs, attendees: [erased] }],
    });
    expect(await erase(false)).toMatchObject({ events: 0 });
    expect((await service.eventNow(other, elsewhere)).organizer).toMatchObject({ email });
  });
});
