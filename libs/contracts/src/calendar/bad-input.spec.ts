import { describe, expect, it } from '@jest/globals';
import { codedRefusal } from '../coded-refusal.js';
import { decode, type Violation } from '../fields/index.js';
import { unknownId } from '../ids.js';
import type { Operation } from '../operation.js';
import { Problem } from '../problems.js';
import { tasks } from '../tasks/operations.js';
import { calendars } from './calendars.js';
import { calendarEvents } from './events.js';

/** The code that the gateway answers for the body of an operation; null where it is sound. */
function codeOf(operation: Operation, body: object, texts = {}): string | null {
  const { input, violations } = decode(operation.input, {
    ...{ body, texts, unknownFields: operation.unknownFields },
  });
  const faults: readonly Violation[] = violations ?? operation.rule?.(input) ?? [];
  if (faults.length === 0) return null;
  return (
    codedRefusal(operation, new Problem('INVALID_REQUEST', { violations: faults }))?.error ?? ''
  );
}

const startMs = Date.parse('2026-03-27T08:00:00Z');
const event = { calendarId: unknownId('cal'), title: 'x', startMs, endMs: startMs + 1 };
const created = (given: object) => codeOf(calendarEvents.create, { ...event, ...given });
const task = (given: object) => codeOf(tasks.create, { title: 'x', ...given });
const wrongTypes = [0, 1.5, 'x', true, [], [null], {}, { a: 1 }];
const wrongTimes = [
  '1774598400000',
  '2026-03-27T08:00:00Z',
  null,
  0,
  -1,
  1.5,
  1e300,
  2 ** 60,
  true,
  [],
];
const dayMs = 86_400_000;
/** The values of `wrongTypes` that some fields accept. */
const soundOf: Readonly<Record<string, unknown[]>> = {
  ...{ description: ['x'], location: ['x'], attendees: [[]], reminders: [[]] },
  ...{ calendarId: ['x'], title: ['x'], allDay: [true], busy: [true] },
};

/** Names that are no zone of the IANA's, whatever ICU takes them for. */
const noZones = ['Mars/Olympus', 'BST', 'IST', 'PST', 'ACT'].map(
  (timeZone) => [{ timeZone }, 'INVALID_ARGUMENT'] as const,
);

describe('an event', () => {
  it('is sound with what it needs', () => {
    expect(created({})).toBeNull();
    expect(created({ endMs: startMs + 366 * dayMs })).toBeNull();
  });

  it.each(wrongTimes)('has no time %p', (time) => {
    expect([created({ startMs: time }), created({ endMs: time })]).toEqual([
      ...['INVALID_DATES', 'INVALID_DATES'],
    ]);
  });

  it.each([
    [{ title: undefined }, 'TITLE_REQUIRED'],
    [{ title: ' ' }, 'TITLE_REQUIRED'],
    [{ title: 'é'.repeat(201) }, 'INVALID_ARGUMENT'],
    [{ startMs: undefined }, 'INVALID_DATES'],
    [{ endMs: startMs }, 'END_BEFORE_START'],
    [{ endMs: startMs - 1 }, 'END_BEFORE_START'],
    [{ endMs: startMs + 366 * dayMs + 1 }, 'DURATION_TOO_LONG'],
    [{ conferenceLink: 'javascript:alert(1)' }, 'INVALID_CONFERENCE_LINK'],
    [{ conferenceLink: ' https://x.test' }, 'INVALID_CONFERENCE_LINK'],
    [{ conferenceLink: 'https://' }, 'INVALID_CONFERENCE_LINK'],
    ...noZones,
    [{ timeZone: '+01:00' }, 'INVALID_ARGUMENT'],
    [{ status: 'other' }, 'INVALID_ARGUMENT'],
    [{ attendees: [{ email: 'nobody' }] }, 'INVALID_ARGUMENT'],
    [
      { attendees: Array.from({ length: 501 }, (_, i) => ({ email: `p${i}@x.test` })) },
      'INVALID_ARGUMENT',
    ],
    [{ reminders: Array.from({ length: 11 }, (_, i) => ({ minutes: i })) }, 'INVALID_ARGUMENT'],
    [{ reminders: [{ minutes: -1 }] }, 'INVALID_ARGUMENT'],
    [{ reminders: [{ minutes: 527_041 }] }, 'INVALID_ARGUMENT'],
    [{ calendarId: undefined }, 'INVALID_ARGUMENT'],
    [{ threadId: 'x' }, 'INVALID_ARGUMENT'],
    [{ threadId: unknownId('evt') }, 'INVALID_ARGUMENT'],
  ])('is refused: %j', (given, code) => {
    expect(created(given)).toBe(code);
  });

  it.each([
    ...['calendarId', 'title', 'description', 'location', 'timeZone', 'allDay', 'status', 'busy'],
    ...['threadId', 'organizer', 'attendees', 'recurrence', 'reminders', 'conferenceLink'],
  ])('has no %s of another type', (name) => {
    const codes = wrongTypes.map((value) => [value, created({ [name]: value })] as const);
    const sound = codes.filter(([, code]) => code === null).map(([value]) => value);
    expect(sound).toEqual(soundOf[name] ?? []);
  });

  it.each([
    ...[{ organizer: null }, { reminders: [] }, { visibility: 'private' }],
    ...[{ threadId: null }, { recurrence: null }, { recurrence: { freq: 'daily' } }],
  ])('is changed as a whole alone: %j', (given) => {
    const changed = (which: object) =>
      codeOf(calendarEvents.update, { ...which, ...given }, { id: unknownId('evt') });
    expect(changed({ occurrenceStartMs: startMs })).toBe('INVALID_ARGUMENT');
    expect(changed({ occurrenceStartMs: startMs, scope: 'following' })).toBeNull();
    expect(changed({})).toBeNull();
  });

  it('takes nothing of what the server says', () => {
    const { input } = decode(calendarEvents.create.input, {
      body: { ...event, uid: 'x', createdBy: { id: 'x' }, ownerUid: 'x', tenant: 'x', version: 9 },
      unknownFields: calendarEvents.create.unknownFields,
    });
    for (const name of ['uid', 'createdBy', 'ownerUid', 'tenant', 'version'])
      expect(input).not.toHaveProperty(name);
  });
});

describe('a rule', () => {
  const ruled = (recurrence: object) => created({ recurrence });
  const rule = { freq: 'daily', byMonth: [1] };
  /** Nothing is said by it. */
  const isEmptyList = (name: string, value: unknown): boolean =>
    /^by|^except/.test(name) && Array.isArray(value) && value.length === 0;

  it.each([
    ...['freq', 'interval', 'byDay', 'byMonthDay', 'byMonth', 'bySetPos', 'count', 'untilMs'],
    ...['timeZone', 'exceptMs', 'rrule'],
  ])('has no %s of another type', (name) => {
    const others = wrongTypes.filter((value) => !isEmptyList(name, value));
    const codes = others.map((value) => ruled({ ...rule, [name]: value }));
    expect(codes).toEqual(others.map(() => 'INVALID_ARGUMENT'));
  });

  it.each([
    { freq: 'daily' },
    { freq: 'yearly', byMonth: [2], byMonthDay: [31] },
    { rrule: 'FREQ=MONTHLY;BYDAY=-1FR' },
    { rrule: 'RRULE:FREQ=WEEKLY;COUNT=3', timeZone: 'Europe/Paris' },
    { rrule: 'FREQ=WEEKLY;INTERVAL=2;WKST=SU' },
    { rrule: 'FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU,TU' },
    { rrule: 'FREQ=DAILY;' },
    { rrule: 'FREQ=WEEKLY;INTERVAL=2;WKST=TH;BYDAY=MO,WE' },
  ])('is sound: %j', (recurrence) => {
    expect(ruled(recurrence)).toBeNull();
  });

  it.each([
    {},
    { freq: 'secondly' },
    { freq: 'daily', count: 1_000_000_000 },
    { freq: 'daily', count: 0 },
    { freq: 'daily', count: 2, untilMs: startMs },
    { freq: 'daily', interval: 0 },
    { freq: 'daily', interval: 1001 },
    { freq: 'daily', byDay: ['1MO'] },
    { freq: 'monthly', byDay: ['6MO'] },
    { freq: 'monthly', byDay: ['0MO'] },
    { freq: 'yearly', byDay: ['53MO'] },
    { freq: 'yearly', byDay: ['MO', '2TU'] },
    { freq: 'yearly', byDay: ['2TU'], byMonthDay: [1] },
    { freq: 'weekly', byMonthDay: [1] },
    { freq: 'daily', byMonthDay: [0] },
    { freq: 'daily', byMonth: [13] },
    { freq: 'daily', bySetPos: [1] },
    { freq: 'daily', timeZone: 'Mars/Olympus' },
    { freq: 'daily', exceptMs: [1, 1] },
    { freq: 'daily', exceptMs: Array.from({ length: 1001 }, (_, i) => i + 1) },
    ...['', 'FREQ', 'FREQ=SECONDLY', 'FREQ=HOURLY', 'FREQ=DAILY;FREQ=DAILY', 'FREQ=DAILY;COUNT=x'],
    ...['FREQ=DAILY;BYHOUR=1', 'FREQ=DAILY;BYMINUTE=1', 'FREQ=DAILY;BYSECOND=1', 'INTERVAL=1'],
    ...['FREQ=DAILY;WKST=XX', 'FREQ=DAILY;=1'],
    ...['FREQ=YEARLY;BYWEEKNO=1', 'FREQ=YEARLY;BYYEARDAY=1', 'FREQ=DAILY;COUNT=1000000000'],
    ...['FREQ=DAILY;COUNT=2;UNTIL=20300101', 'FREQ=DAILY;UNTIL=20301301', 'FREQ=DAILY;BYMONTH=0'],
    ...[`FREQ=MONTHLY;BYMONTHDAY=${'1,'.repeat(300)}1`],
  ])('is refused: %j', (given) => {
    expect(ruled(typeof given === 'string' ? { rrule: given } : given)).toBe('INVALID_ARGUMENT');
  });
});

describe('a calendar', () => {
  it.each([
    {},
    { name: '' },
    { name: ' ' },
    { name: 'é'.repeat(81) },
    { name: 1 },
    { name: 'x', color: 'é'.repeat(21) },
    { name: 'x', color: 1 },
    { name: 'x', scope: 'other' },
  ])('is refused: %j', (given) => {
    expect(codeOf(calendars.create, given)).toBe('INVALID_ARGUMENT');
  });

  it('takes nothing of what the server says', () => {
    const own = { id: 'x', ownerUid: 'x', createdAt: 'x', tenant: 'x', tenantId: 'x' };
    const { unknownFields, input: type } = calendars.create;
    const { input } = decode(type, { body: { name: 'x', ...own }, unknownFields });
    for (const name of Object.keys(own)) expect(input ?? {}).not.toHaveProperty(name);
  });
});

describe('a task', () => {
  it.each([
    [{ title: '' }, 'TITLE_REQUIRED'],
    [{ title: null }, 'TITLE_REQUIRED'],
    [{ task: {} }, 'TITLE_REQUIRED'],
    [{ title: 'é'.repeat(201) }, 'INVALID_ARGUMENT'],
    [{ notes: 'é'.repeat(5001) }, 'INVALID_ARGUMENT'],
    [{ recurrence: { freq: 'daily' } }, 'RECURRENCE_NEEDS_DUE'],
    [{ dueMs: startMs, recurrence: { freq: 'hourly' } }, 'INVALID_ARGUMENT'],
    [{ dueMs: '1' }, 'INVALID_ARGUMENT'],
    [{ dueMs: -1 }, 'INVALID_ARGUMENT'],
    ...noZones,
    ...[1, 'x', '', unknownId('cal'), `${unknownId('cnv')} `].flatMap((id) => [
      [{ teamId: id }, 'INVALID_ARGUMENT'] as const,
      [{ threadId: id }, 'INVALID_ARGUMENT'] as const,
      [{ task: { title: 'x', threadId: id } }, 'INVALID_ARGUMENT'] as const,
    ]),
    [{ source: 'other' }, 'INVALID_ARGUMENT'],
    [{ reminders: [{ minutes: 1.5 }] }, 'INVALID_ARGUMENT'],
    ...[0, true, [], {}].flatMap((value) =>
      ['title', 'notes', 'timeZone', 'teamId', 'threadId', 'source'].map(
        (name) => [{ [name]: value }, 'INVALID_ARGUMENT'] as const,
      ),
    ),
    ...['x', 1.5, 1e300, true, [], {}].map((dueMs) => [{ dueMs }, 'INVALID_ARGUMENT'] as const),
    ...['x', 0, true, {}].map((reminders) => [{ reminders }, 'INVALID_ARGUMENT'] as const),
    ...['x', 0, true, []].map(
      (recurrence) => [{ dueMs: startMs, recurrence }, 'INVALID_ARGUMENT'] as const,
    ),
  ])('is refused: %j', (given, code) => {
    expect(task(given)).toBe(code);
  });

  it('has a default for what is no status, no priority, no address', () => {
    const { input } = decode(tasks.create.input, {
      body: {
        title: 'x',
        status: 'x',
        priority: 1,
        assignee: 'nobody',
        completedAt: 'x',
        nextTaskId: 'x',
      },
      unknownFields: tasks.create.unknownFields,
    });
    expect(input).toMatchObject({ status: 'todo', priority: 'normal', assignee: null });
    expect(input).not.toHaveProperty('completedAt');
    expect(input).not.toHaveProperty('nextTaskId');
  });
});
