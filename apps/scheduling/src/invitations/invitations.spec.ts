import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { MemberCaller } from '@postroom/access';
import {
  newId,
  Problem,
  invitationSteps,
  type CalendarEvent,
  type InvitationConfirmed,
  type InvitationDecided,
  type InvitationReceived,
} from '@postroom/contracts';
import { aMember } from '@postroom/service-testing';
import { whereThere } from '@postroom/testing';
import { Expansion } from '../events/index.js';
import { AskedSeries } from '../recurrence/index.js';
import { SchedulingService } from '../testing/scheduling-service.js';

let service: SchedulingService;
beforeAll(async () => {
  service = await SchedulingService.start();
});
afterAll(() => service.close());

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const startMs = Date.parse('2026-12-01T09:00:00Z');
const daily = { freq: 'daily', interval: 1, count: 5, timeZone: 'UTC' };
const organizer = 'ada@elsewhere.test';
const guest = 'max@acme.test';

const eventOf = (caller: MemberCaller, given: object = {}): Promise<CalendarEvent> =>
  service.event(caller, {
    ...{ startMs, endMs: startMs + hourMs, organizer: { email: organizer } },
    attendees: [guest, 'eve@acme.test'].map((email) => ({
      ...{ email, role: 'required', status: 'needs_action' },
    })),
    ...given,
  });
const eventNow: SchedulingService['eventNow'] = (...given) => service.eventNow(...given);

interface Sent {
  readonly method?: string;
  readonly uid: string;
  readonly sequence?: number;
  /** Seconds after the first. */
  readonly stamp?: number;
  readonly from?: string;
  readonly dmarc?: string | null;
  readonly isAligned?: boolean;
  readonly ours?: readonly string[];
  readonly lines?: readonly string[];
  /** Age of the message, in milliseconds. */
  readonly ageMs?: number;
}

/** A calendar part as it is, and whom it comes from. */
interface SentPart {
  readonly calendar: string;
  readonly from: string;
  readonly dmarc?: string | null;
  readonly isAligned?: boolean;
  readonly ours?: readonly string[];
  readonly ageMs?: number;
}

const basic = (ms: number): string =>
  new Date(ms).toISOString().replace(/[-:]/g, '').replace(/\.\d+/, '');

const calendarPart = ({
  method = 'REPLY',
  uid,
  sequence = 0,
  stamp = 0,
  lines = [],
}: Sent): string =>
  [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', `METHOD:${method}`, 'BEGIN:VEVENT', `UID:${uid}`],
    ...[`SEQUENCE:${sequence}`, `DTSTAMP:${basic(startMs + stamp * 1000)}`, ...lines],
    ...['END:VEVENT', 'END:VCALENDAR', ''],
  ].join('\r\n');

/**
 * Tells the service of a message, again too, and answers what it has decided about it; null for nothing within
 * the time that it has.
 */
async function decided(
  { tenantId }: Pick<MemberCaller, 'tenantId'>,
  sent: Sent | SentPart,
  times = 1,
  withinMs = 240_000,
): Promise<string | null> {
  const messageId = newId('msg');
  const calendar = 'calendar' in sent ? sent.calendar : calendarPart(sent);
  const defaults = { from: guest, dmarc: 'pass', isAligned: false, ours: [], ageMs: 0 };
  const { from, dmarc, isAligned, ours, ageMs } = { ...defaults, ...sent };
  const occurredAt = new Date(Date.now() - ageMs).toISOString();
  const received: InvitationReceived = {
    ...{ occurredAt, messageId, sender: from, dmarc, isAligned, ours, calendar },
  };
  const event = {
    ...{ id: newId('evn'), type: 'invitation.received' as const, tenantId, resource: messageId },
    envelope: JSON.stringify(received),
  };
  for (let i = 0; i < times; i++) await service.bus.emit([event]);
  for (const endMs = Date.now() + withinMs; Date.now() < endMs; await sleep(20)) {
    const [first, ...others] = await decisionsOf(messageId);
    expect(others).toEqual([]);
    if (first) return first.invitation.state;
  }
  return null;
}

async function decisionsOf(messageId: string): Promise<InvitationDecided[]> {
  const found = await service.rows<{ envelope: string }>(
    `SELECT envelope FROM (SELECT type, resource, sequence, envelope FROM outbox
       UNION ALL SELECT type, resource, sequence, envelope FROM published_events) e
     WHERE type = 'invitation.decided' AND resource = $1 ORDER BY sequence`,
    [messageId],
  );
  return found.map(({ envelope }) => JSON.parse(envelope) as InvitationDecided);
}

const answer = (status: string, email = guest): readonly string[] => [
  `ATTENDEE;PARTSTAT=${status}:mailto:${email}`,
];
const statusOf = async (caller: MemberCaller, event: CalendarEvent, email = guest) =>
  (await eventNow(caller, event)).attendees.find((one) => one.email === email)?.status;

/** Audit entries of a workspace, oldest first. */
const auditOf = (caller: MemberCaller) => service.audit(caller);
const changedByMail = ({ id: subjectId }: CalendarEvent) => ({
  ...{ action: 'invitations.apply', subjectId, actorType: 'system', actorId: null },
});

describe('a REPLY', () => {
  it('of an attendee changes the answer, which is told once', async () => {
    const caller = aMember();
    const event = await eventOf(caller);
    const sent = { uid: event.uid, lines: answer('ACCEPTED'), from: 'Max@acme.test' };
    expect(await decided(caller, sent, 3)).toBe('applied');
    const now = await eventNow(caller, event);
    expect(now.attendees).toMatchObject([
      { email: guest, status: 'accepted' },
      { email: 'eve@acme.test', status: 'needs_action' },
    ]);
    expect(now.version).toBe(2);
    expect((await service.events(caller)).slice(1)).toMatchObject([
      {
        ...{ type: 'calendar_event.rsvp_changed', sequence: 2, source: 'inbound' },
        ...{ actor: { type: 'system' }, previous: { attendees: event.attendees } },
      },
    ]);
    expect(await auditOf(caller)).toContainEqual(changedByMail(event));
  });

  it('about one occurrence is the answer to that one, and told once', async () => {
    const caller = aMember();
    const event = await eventOf(caller, { recurrence: daily });
    const [second, third] = [startMs + dayMs, startMs + 2 * dayMs];
    const about = (ms: number, status: string, stamp: number) => ({
      ...{ uid: event.uid, stamp },
      lines: [`RECURRENCE-ID:${basic(ms)}`, ...answer(status)],
    });
    const declined = about(third, 'DECLINED', 60);
    expect(await decided(caller, declined, 2)).toBe('applied');
    expect(await decided(caller, declined)).toBe('applied');
    expect(await decided(caller, about(third, 'ACCEPTED', 30))).toBe('stale');
    // The answer that was given before, to the series as a whole.
    expect(await decided(caller, about(second, 'NEEDS-ACTION', 10))).toBe('applied');
    expect(await decided(caller, { uid: event.uid, lines: answer('ACCEPTED') })).toBe('applied');
    const now = await eventNow(caller, event);
    expect(now.attendees).toMatchObject([{ status: 'accepted' }, { status: 'needs_action' }]);
    const [guests, ...others] = event.attendees;
    const attendees = [{ ...guests, status: 'declined' }, ...others];
    expect(now.overrides).toEqual([{ occurrenceStartMs: third, attendees }]);
    expect((await service.events(caller)).slice(1)).toMatchObject([
      { type: 'calendar_event.rsvp_changed', previous: { overrides: [] } },
      { type: 'calendar_event.rsvp_changed', previous: { attendees: event.attendees } },
    ]);
    const nowhere = about(third + hourMs, 'ACCEPTED', 90);
    expect(await decided(caller, nowhere)).toBe('refused');
    expect(await decided(caller, { ...about(third, 'ACCEPTED', 90), from: 'x@y.test' })).toBe(
      'refused',
    );
  });

  it('about all occurrences from one on is refused, and changes nothing', async () => {
    const caller = aMember();
    const event = await eventOf(caller, { recurrence: daily });
    const range = `RECURRENCE-ID;RANGE=THISANDFUTURE:${basic(startMs + dayMs)}`;
    const { uid } = event;
    expect(await decided(caller, { uid, lines: [range, ...answer('DECLINED')] })).toBe('refused');
    const lines = [range, ...asked(organizer, startMs + dayMs + hourMs)];
    for (const method of ['REQUEST', 'CANCEL'])
      expect(await decided(caller, { uid, method, from: organizer, lines })).toBe('refused');
    expect(await eventNow(caller, event)).toEqual(event);
  });

  it('that is older than one that was applied is stale, in whatever order they come', async () => {
    const caller = aMember();
    const event = await eventOf(caller);
    const { uid } = event;
    const newer = { uid, stamp: 60, lines: answer('DECLINED') };
    expect(await decided(caller, newer)).toBe('applied');
    expect(await decided(caller, { uid, stamp: 30, lines: answer('ACCEPTED') })).toBe('stale');
    expect(await statusOf(caller, event)).toBe('declined');
    expect(await decided(caller, newer)).toBe('applied');
    const reconsidered = { uid, stamp: 90, lines: answer('TENTATIVE') };
    expect(await decided(caller, reconsidered)).toBe('applied');
    expect(await statusOf(caller, event)).toBe('tentative');
    const others = {
      uid,
      stamp: 10,
      lines: answer('ACCEPTED', 'eve@acme.test'),
      from: 'eve@acme.test',
    };
    expect(await decided(caller, others)).toBe('applied');
  });

  it('is refused of somebody else, for somebody else, of nobody, and where DMARC failed', async () => {
    const caller = aMember();
    const event = await eventOf(caller);
    const { uid } = event;
    const lines = answer('ACCEPTED');
    for (const sent of [
      { uid, lines, from: 'eve@acme.test' },
      { uid, lines: answer('ACCEPTED', 'mallory@x.test'), from: 'mallory@x.test' },
      { uid, lines: [] },
      { uid, lines: [...lines, ...answer('ACCEPTED', 'eve@acme.test')] },
      { uid, lines, dmarc: 'fail' },
      { uid, lines, dmarc: 'permerror' },
      { uid, lines: answer('DELEGATED') },
      { uid, lines: [...lines, `RECURRENCE-ID:${basic(startMs)}`] },
    ]) {
      expect(await decided(caller, sent)).toBe('refused');
    }
    expect(await eventNow(caller, event)).toEqual(event);
    expect(await auditOf(caller)).not.toContainEqual(changedByMail(event));
  });

  it('is unmatched where no event has its UID, or another workspace’s has', async () => {
    const event = await eventOf(aMember());
    const lines = answer('ACCEPTED');
    expect(await decided(aMember(), { uid: event.uid, lines })).toBe('unmatched');
    expect(await decided(aMember(), { uid: 'nobody@knows', lines })).toBe('unmatched');
  });

  it('is applied in every calendar that has the event', async () => {
    const caller = aMember();
    const [one, other] = [await eventOf(caller), await eventOf(caller)];
    await service.rows('UPDATE calendar_events SET uid = $1 WHERE id = $2', [one.uid, other.id]);
    expect(await decided(caller, { uid: one.uid, lines: answer('ACCEPTED') })).toBe('applied');
    for (const event of [one, other]) expect(await statusOf(caller, event)).toBe('accepted');
    const entries = await auditOf(caller);
    for (const event of [one, other]) expect(entries).toContainEqual(changedByMail(event));
  });
});

const asked = (from = organizer, atMs = startMs + 24 * hourMs): readonly string[] => [
  ...[`ORGANIZER:mailto:${from}`, `DTSTART:${basic(atMs)}`, `DTEND:${basic(atMs + hourMs)}`],
  ...['SUMMARY:Moved', 'LOCATION:Room 2', `ATTENDEE;PARTSTAT=ACCEPTED:mailto:${guest}`],
];

describe('a REQUEST', () => {
  const method = 'REQUEST';

  it('of the organizer changes the event, and what nobody said of it stays', async () => {
    const caller = aMember();
    const event = await eventOf(caller, { reminders: [{ minutes: 5 }] });
    const sent = { method, uid: event.uid, sequence: 1, from: organizer, lines: asked() };
    expect(await decided(caller, sent)).toBe('applied');
    expect(await eventNow(caller, event)).toMatchObject({
      ...{ title: 'Moved', location: 'Room 2', startMs: startMs + 24 * hourMs, version: 2 },
      attendees: [{ email: guest, status: 'accepted' }],
      reminders: [{ minutes: 5 }],
    });
    expect(await service.eventTypes(caller)).toEqual([
      ...['calendar_event.created', 'calendar_event.updated'],
    ]);
  });

  it('of a series that Outlook has written changes its rule, by the clocks of its zone', async () => {
    const caller = aMember();
    const event = await eventOf(caller);
    const lines = [
      ...[`ORGANIZER:mailto:${organizer}`, 'SUMMARY:Weekly'],
      'DTSTART;TZID=Romance Standard Time:20261201T100000',
      'DTEND;TZID=Romance Standard Time:20261201T110000',
      'RRULE:FREQ=WEEKLY;UNTIL=20261231T090000Z;INTERVAL=1;BYDAY=TU;WKST=MO',
      'EXDATE;TZID=Romance Standard Time:20261208T100000',
    ];
    const sent = { method, uid: event.uid, from: organizer, lines };
    expect(await decided(caller, sent)).toBe('applied');
    const now = await eventNow(caller, event);
    expect(now).toMatchObject({
      ...{ startMs, timeZone: 'Europe/Paris', attendees: [] },
      recurrence: { freq: 'weekly', byDay: ['TU'], exceptMs: [startMs + 7 * 24 * hourMs] },
    });
  });

  it('of an older sequence is stale, and so is an answer to it', async () => {
    const caller = aMember();
    const event = await eventOf(caller);
    const { uid } = event;
    const second = { method, uid, sequence: 2, from: organizer, lines: asked() };
    expect(await decided(caller, second)).toBe('applied');
    const first = { ...second, sequence: 1, stamp: 600, lines: asked(organizer, startMs) };
    expect(await decided(caller, first)).toBe('stale');
    expect((await eventNow(caller, event)).startMs).toBe(startMs + 24 * hourMs);
    const toFirst = { uid, sequence: 1, lines: answer('DECLINED') };
    expect(await decided(caller, toFirst)).toBe('stale');
    expect(await decided(caller, { ...toFirst, sequence: 2 })).toBe('applied');
  });

  it('is refused of anybody else, with another organizer, and with what no event can be', async () => {
    const caller = aMember();
    const event = await eventOf(caller);
    const nobodys = await eventOf(caller, { organizer: null });
    const { uid } = event;
    const times = asked();
    for (const sent of [
      { method, uid, from: 'mallory@x.test', lines: asked() },
      { method, uid, from: 'mallory@x.test', lines: asked('mallory@x.test') },
      { method, uid, from: organizer, lines: asked('mallory@x.test') },
      { method, uid, from: organizer, lines: asked(), dmarc: 'fail' },
      { method, uid: nobodys.uid, from: organizer, lines: asked() },
      { method, uid, from: organizer, lines: times.filter((line) => !line.startsWith('DT')) },
      { method, uid, from: organizer, lines: [...times, 'RRULE:FREQ=SECONDLY'] },
      { method, uid, from: organizer, lines: [...times, 'RRULE:FREQ=DAILY;COUNT=1000000000'] },
      { method, uid, from: organizer, lines: [`RECURRENCE-ID:${basic(startMs)}`, ...times] },
    ]) {
      expect(await decided(caller, sent)).toBe('refused');
    }
    expect(await eventNow(caller, event)).toEqual(event);
  });

  it('about one occurrence changes that one', async () => {
    const caller = aMember();
    const event = await eventOf(caller, { recurrence: daily });
    const { uid } = event;
    const occurrenceStartMs = startMs + 2 * 24 * hourMs;
    const lines = [
      `RECURRENCE-ID:${basic(occurrenceStartMs)}`,
      ...asked(organizer, startMs + 100 * hourMs),
    ];
    const sent = { method, uid, from: organizer, lines };
    expect(await decided(caller, sent)).toBe('applied');
    const moved = {
      ...{ occurrenceStartMs, startMs: startMs + 100 * hourMs, title: 'Moved' },
      attendees: [{ email: guest, status: 'accepted' }],
    };
    expect((await eventNow(caller, event)).overrides).toMatchObject([moved]);
    const whole = (rule: string, stamp: number) => ({
      ...{ method, uid, from: organizer, stamp },
      lines: [`RRULE:${rule}`, ...asked(organizer, startMs)],
    });
    expect(await decided(caller, whole('FREQ=DAILY;COUNT=5', 1))).toBe('applied');
    expect((await eventNow(caller, event)).overrides).toMatchObject([moved]);
    const without = { ...sent, method: 'CANCEL', sequence: 1 };
    expect(await decided(caller, without)).toBe('applied');
    expect((await eventNow(caller, event)).overrides).toMatchObject([{ attendees: [] }]);
    const gone = { ...without, stamp: 1, lines: [...lines, 'STATUS:CANCELLED'] };
    expect(await decided(caller, gone)).toBe('applied');
    expect(await decided(caller, gone)).toBe('applied');
    const now = await eventNow(caller, event);
    expect(now.overrides).toEqual([]);
    expect(now.recurrence?.exceptMs).toEqual([occurrenceStartMs]);
    expect(await decided(caller, { ...sent, sequence: 2, stamp: 2 })).toBe('refused');
  });

  it('of one occurrence that is cancelled makes it an exception, whichever mailbox it comes to', async () => {
    const caller = aMember();
    const event = await eventOf(caller, { recurrence: daily });
    const occurrenceStartMs = startMs + 2 * 24 * hourMs;
    const lines = [
      ...[`RECURRENCE-ID:${basic(occurrenceStartMs)}`, 'STATUS:CANCELLED'],
      ...asked(organizer, occurrenceStartMs),
    ];
    const sent = { method, uid: event.uid, from: organizer, lines };
    expect(await decided(caller, sent)).toBe('applied');
    expect(await decided(caller, sent)).toBe('applied');
    expect(await eventNow(caller, event)).toMatchObject({
      ...{ overrides: [], recurrence: { exceptMs: [occurrenceStartMs] } },
    });
  });
});

describe('a CANCEL', () => {
  const method = 'CANCEL';

  it('of the organizer cancels the event, or takes from it whom it names', async () => {
    const caller = aMember();
    const event = await eventOf(caller);
    const base = { method, uid: event.uid, from: organizer };
    const by = `ORGANIZER:mailto:${organizer}`;
    const without = { ...base, sequence: 1, lines: [by, `ATTENDEE:mailto:${guest}`] };
    expect(await decided(caller, without)).toBe('applied');
    expect((await eventNow(caller, event)).attendees.map(({ email }) => email)).toEqual([
      'eve@acme.test',
    ]);
    const off = { ...base, sequence: 2, lines: [by, 'STATUS:CANCELLED'] };
    expect(await decided(caller, { ...off, from: 'eve@acme.test' })).toBe('refused');
    expect(await decided(caller, off)).toBe('applied');
    expect((await eventNow(caller, event)).status).toBe('cancelled');
    const before = { ...base, method: 'REQUEST', sequence: 1, lines: asked() };
    expect(await decided(caller, before)).toBe('stale');
    expect((await eventNow(caller, event)).status).toBe('cancelled');
  });
});

describe('a CANCEL or a REQUEST of today', () => {
  const by = `ORGANIZER:mailto:${organizer}`;

  it('without a status cancels the event for us where it names our mailbox', async () => {
    const caller = aMember();
    const [event, series] = [await eventOf(caller), await eventOf(caller, { recurrence: daily })];
    const sent = { method: 'CANCEL', from: organizer, ours: [guest], sequence: 1 };
    const lines = [by, `ATTENDEE:mailto:${guest}`];
    expect(await decided(caller, { ...sent, uid: event.uid, lines })).toBe('applied');
    expect((await eventNow(caller, event)).status).toBe('cancelled');
    const one = [`RECURRENCE-ID:${basic(startMs + dayMs)}`, ...lines];
    expect(await decided(caller, { ...sent, uid: series.uid, lines: one })).toBe('applied');
    const { status, recurrence } = await eventNow(caller, series);
    expect([status, recurrence?.exceptMs]).toEqual(['confirmed', [startMs + dayMs]]);
  });

  it.each([
    'X-GOOGLE-CONFERENCE:https://meet.test/new',
    'CONFERENCE;VALUE=URI;FEATURE=VIDEO:https://meet.test/new',
    'URL:https://meet.test/new',
  ])('changes the link, and whether it makes busy: %s', async (link) => {
    const caller = aMember();
    const event = await eventOf(caller, { conferenceLink: 'https://old.test/a' });
    const sent = { method: 'REQUEST', uid: event.uid, from: organizer };
    const lines = [...asked(), 'TRANSP:TRANSPARENT', link];
    expect(await decided(caller, { ...sent, lines })).toBe('applied');
    const changed = { busy: false, conferenceLink: 'https://meet.test/new' };
    expect(await eventNow(caller, event)).toMatchObject(changed);
    expect(await decided(caller, { ...sent, sequence: 1, lines: asked() })).toBe('applied');
    expect(await eventNow(caller, event)).toMatchObject({ busy: true, conferenceLink: null });
  });

  it.each([
    ['an assistant of the domain', 'pa@elsewhere.test', 'pa@elsewhere.test', 'pass', 'applied'],
    ['an assistant in capitals', 'PA@Elsewhere.test', 'pa@elsewhere.test', 'pass', 'applied'],
    [
      'an assistant whom nothing confirms',
      'pa@elsewhere.test',
      'pa@elsewhere.test',
      'none',
      'refused',
    ],
    ['a stranger who says so', 'pa@evil.test', 'pa@evil.test', 'pass', 'refused'],
    ['somebody else', 'pa@elsewhere.test', 'mallory@elsewhere.test', 'pass', 'refused'],
  ] as const)('comes from %s', async (_what, sentBy, from, dmarc, state) => {
    const caller = aMember();
    const event = await eventOf(caller);
    const own = `ORGANIZER;SENT-BY="mailto:${sentBy}":mailto:${organizer}`;
    const lines = asked().map((line) => (line.startsWith('ORGANIZER') ? own : line));
    const sent = { method: 'REQUEST', uid: event.uid, from, dmarc, lines };
    expect(await decided(caller, sent)).toBe(state);
  });

  it('of an event that we organize comes from nobody outside', async () => {
    const caller = aMember();
    const event = await eventOf(caller);
    const sent = { uid: event.uid, from: organizer, ours: [organizer] };
    expect(await decided(caller, { ...sent, method: 'REQUEST', lines: asked() })).toBe('refused');
    const lines = [by, 'STATUS:CANCELLED'];
    expect(await decided(caller, { ...sent, method: 'CANCEL', lines })).toBe('refused');
  });
});

describe('a REPLY of today', () => {
  it.each([
    ['a zone that nobody knows', 'DTSTART;TZID="tzone://Microsoft/Custom":20270201T090000'],
    ['a time of no zone', 'DTSTART:20270201T090000'],
    ['a rule that is none', 'RRULE:FREQ=OFTEN'],
  ])('counts whatever else it says: %s', async (_what, line) => {
    const caller = aMember();
    const event = await eventOf(caller);
    const sent = { uid: event.uid, lines: [...answer('ACCEPTED'), line] };
    expect(await decided(caller, sent)).toBe('applied');
    expect(await statusOf(caller, event)).toBe('accepted');
  });
});

describe('an invitation whose sender nothing shows', () => {
  const confirm = (caller: MemberCaller, messageId: string) =>
    service.call<InvitationConfirmed>(invitationSteps.confirm, { messageId }, { caller });
  const waiting = async ({ tenantId }: MemberCaller): Promise<string> => {
    const [found] = await service.rows<{ id: string }>(
      'SELECT message_id AS id FROM unconfirmed_invitations WHERE tenant_id = $1',
      [tenantId],
    );
    return found?.id ?? '';
  };

  it.each(['none', 'temperror', 'neutral', null])(
    'waits for a member, who confirms it once: DMARC %s',
    async (dmarc) => {
      const caller = aMember();
      const event = await eventOf(caller);
      const sent = { method: 'REQUEST', uid: event.uid, from: organizer, lines: asked(), dmarc };
      expect(await decided(caller, sent)).toBe('unconfirmed');
      expect(await eventNow(caller, event)).toEqual(event);
      const messageId = await waiting(caller);
      expect((await confirm(aMember(), messageId)).problem).toBe('INVITATION_SETTLED');
      const { body } = await confirm(caller, messageId);
      expect(body.invitation).toMatchObject({ uid: event.uid, state: 'applied', reason: null });
      expect((await eventNow(caller, event)).title).toBe('Moved');
      expect((await confirm(caller, messageId)).problem).toBe('INVITATION_SETTLED');
      expect((await decisionsOf(messageId)).map(({ invitation }) => invitation.state)).toEqual([
        ...['unconfirmed', 'applied'],
      ]);
    },
  );

  it('has its effect where DKIM or SPF is aligned, or the workspace takes any mail', async () => {
    const caller = aMember();
    const { uid } = await eventOf(caller);
    const sent = { uid, lines: answer('ACCEPTED'), dmarc: null };
    expect(await decided(caller, { ...sent, isAligned: true })).toBe('applied');
    const rule = { mailEffects: 'any' as const };
    await service.call(invitationSteps.setRule, rule, { caller: aMember() });
    expect(await decided(caller, sent)).toBe('unconfirmed');
    await service.call(invitationSteps.setRule, rule, { caller });
    expect(await decided(caller, sent)).toBe('applied');
    expect(await decided(caller, { ...sent, dmarc: 'fail' })).toBe('refused');
    await service.call(invitationSteps.setRule, { mailEffects: 'authenticated' }, { caller });
    expect(await decided(caller, sent)).toBe('unconfirmed');
  });
});

/** Several events of a calendar part, of which each has its lines. */
const severalOf = (method: string, uid: string, events: readonly (readonly string[])[]): string =>
  [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', `METHOD:${method}`],
    ...events.flatMap((lines) => [
      ...['BEGIN:VEVENT', `UID:${uid}`, `DTSTAMP:${basic(startMs)}`, ...lines, 'END:VEVENT'],
    ]),
    ...['END:VCALENDAR', ''],
  ].join('\r\n');

describe('an invitation of several parts', () => {
  it('begins again once for what it asks of a series, not for each of its answers', async () => {
    const caller = aMember();
    const event = await eventOf(caller, { recurrence: { ...daily, count: 100 } });
    const parts = Array.from({ length: 40 }, (_, i) => [
      ...[`RECURRENCE-ID:${basic(startMs + i * dayMs)}`, ...answer('DECLINED')],
    ]);
    const required = jest.spyOn(AskedSeries.prototype, 'require');
    const calendar = severalOf('REPLY', event.uid, parts);
    expect(await decided(caller, { calendar, from: guest })).toBe('applied');
    // In two rounds, and not in the 41 that would ask a thousand times.
    expect(required.mock.calls.length).toBeLessThan(4 * parts.length);
    required.mockRestore();
    expect((await eventNow(caller, event)).overrides).toHaveLength(40);
  });

  it('is applied without the part that cannot be', async () => {
    const caller = aMember();
    const event = await eventOf(caller, { recurrence: daily });
    const about = (ms: number, endMs: number) => [
      ...[`RECURRENCE-ID:${basic(ms)}`, `DTSTART:${basic(ms)}`, `DTEND:${basic(endMs)}`],
      ...[`ORGANIZER:mailto:${organizer}`, `ATTENDEE:mailto:${guest}`],
    ];
    const [first, second] = [startMs, startMs + dayMs];
    const parts = [about(first, first - hourMs), about(second, second + 2 * hourMs)];
    const calendar = severalOf('REQUEST', event.uid, parts);
    expect(await decided(caller, { calendar, from: organizer })).toBe('applied');
    expect((await eventNow(caller, event)).overrides).toMatchObject([
      { occurrenceStartMs: second, endMs: second + 2 * hourMs },
    ]);
  });

  it('waits for a rule that takes too long, and is refused after ten minutes', async () => {
    const caller = aMember();
    const event = await eventOf(caller, { recurrence: daily });
    const lines = [`RECURRENCE-ID:${basic(startMs)}`, ...answer('DECLINED')];
    const sent = { uid: event.uid, lines };
    const tooLong = () => Promise.reject(new Problem('SERVICE_UNAVAILABLE'));
    const asking = jest
      .spyOn(Expansion.prototype, 'asked')
      .mockImplementation(() => new AskedSeries(tooLong));
    expect(await decided(caller, sent, 1, 2_500)).toBeNull();
    expect(await decided(caller, { ...sent, ageMs: 11 * 60_000 })).toBe('refused');
    asking.mockRestore();
    // The waiting message is delivered again.
    while ((await eventNow(caller, event)).overrides.length === 0) await sleep(100);
  });

  it.each([
    ['the event itself twice', [asked(), asked()], 'the event several times'],
    [
      'a zone that nobody knows',
      [['DTSTART;TZID=Mars/Olympus:20261201T090000']],
      'an unknown time zone',
    ],
    ['a time of no zone', [['DTSTART:20261201T090000']], 'a time in no zone'],
    ['a start that is none', [['DTSTART:20270231T090000Z']], 'a time that is none'],
    ['a sequence far ahead', [['SEQUENCE:2147483647', ...asked()]], 'its SEQUENCE is far ahead'],
    ['a rule by the second', [[...asked(), 'RRULE:FREQ=SECONDLY']], 'no event can have this'],
  ])('is refused with %s, and says why', async (_what, events, reason) => {
    const caller = aMember();
    const event = await eventOf(caller);
    const calendar = severalOf('REQUEST', event.uid, events);
    expect(await decided(caller, { calendar, from: organizer })).toBe('refused');
    const [told] = await service.rows<{ invitation: { uid: string; reason: string } }>(
      `SELECT (envelope::jsonb -> 'invitation') AS invitation FROM
       (SELECT tenant_id, type, envelope FROM outbox
        UNION ALL SELECT tenant_id, type, envelope FROM published_events) e
       WHERE type = 'invitation.decided' AND tenant_id = $1`,
      [caller.tenantId],
    );
    expect(told?.invitation).toMatchObject({
      uid: event.uid,
      reason: expect.stringContaining(reason),
    });
    expect(await eventNow(caller, event)).toEqual(event);
  });

  it('is applied whatever their order', async () => {
    const caller = aMember();
    const event = await eventOf(caller, { recurrence: { ...daily, freq: 'weekly' } });
    const people = [`ORGANIZER:mailto:${organizer}`, `ATTENDEE:mailto:${guest}`];
    const at = (name: string, time: string) => `${name};TZID=Europe/Paris:202702${time}`;
    const whole = [
      at('DTSTART', '01T110000'),
      at('DTEND', '01T120000'),
      'RRULE:FREQ=WEEKLY;COUNT=6',
    ];
    const moved = [at('DTSTART', '09T150000'), at('DTEND', '09T160000'), 'SUMMARY:Moved'];
    const parts = [
      [at('RECURRENCE-ID', '08T110000'), ...moved, ...people],
      [...whole, ...people],
      ['RECURRENCE-ID;VALUE=DATE:20270215', ...moved, ...people],
    ];
    const calendar = severalOf('REQUEST', event.uid, parts);
    expect(await decided(caller, { calendar, from: organizer })).toBe('applied');
    expect((await eventNow(caller, event)).overrides).toMatchObject(
      ['08', '15'].map((day) => ({
        ...{ occurrenceStartMs: Date.parse(`2027-02-${day}T10:00:00Z`), title: 'Moved' },
      })),
    );
  });
});

/** Files that outsiders wrote, kept beside the repository, which not everyone has. */
const faults = fileURLToPath(new URL('../../../../../shared/faults/time/', import.meta.url));

const missing = existsSync(faults)
  ? null
  : 'the faults (../shared/faults/time beside the repository)';

whereThere({ missing }, describe)('an invitation that was read wrong', () => {
  const [boss, ours, jane] = ['boss@example.com', 'support@acme.test', 'jane@example.org'];
  const people = (email: string) => [{ email, role: 'required', status: 'needs_action' }];
  const invited = { organizer: { email: boss }, attendees: people(ours) };
  const weekly = { ...daily, freq: 'weekly', timeZone: 'Europe/Paris' };
  const februaryMs = Date.parse('2027-02-01T10:00Z');

  it.each([
    [
      'imip-request-new-link',
      ...[boss, { ...invited, conferenceLink: 'https://meet.google.com/old-old-old' }],
      { busy: false, conferenceLink: 'https://meet.google.com/new-new-new' },
    ],
    ['imip-request-sent-by', 'pa@example.com', invited, { title: 'Moved' }],
    ['imip-cancel-uninvited', boss, invited, { status: 'cancelled' }],
    [
      'imip-reply-unknown-zone',
      ...[jane, { organizer: { email: ours }, attendees: people(jane) }],
      { attendees: [{ email: jane, status: 'accepted' }] },
    ],
    [
      'request-override-first',
      ...[
        boss,
        { ...invited, startMs: februaryMs, endMs: februaryMs + hourMs, recurrence: weekly },
      ],
      { overrides: [{ startMs: Date.parse('2027-02-09T14:00Z'), title: 'Moved' }] },
    ],
  ] as const)('has its effect: %s', async (name, from, given, expected) => {
    const caller = aMember();
    const event = await eventOf(caller, given);
    const file = readFileSync(`${faults}${name}.ics`, 'utf8');
    const calendar = file.replaceAll('UID-OF-THE-EVENT', event.uid);
    expect(await decided(caller, { calendar, from, ours: [ours] })).toBe('applied');
    expect(await eventNow(caller, event)).toMatchObject(expected);
  });
});

describe('what is no invitation', () => {
  it('is left alone, and keeps no other waiting', async () => {
    const caller = aMember();
    const event = await eventOf(caller);
    const calendar = 'BEGIN:VCALENDAR\r\n'.repeat(3_000);
    expect(await decided(caller, { calendar, from: guest }, 1, 2_500)).toBeNull();
    const sent = { uid: event.uid, lines: answer('ACCEPTED') };
    expect(await decided(caller, sent)).toBe('applied');
  });

  it('is forgotten with the event', async () => {
    const caller = aMember();
    const event = await eventOf(caller);
    await decided(caller, { uid: event.uid, lines: answer('ACCEPTED') });
    expect(await service.count('invitation_stamps', caller)).toBe(1);
    await service.removeEvent(caller, event.id);
    expect(await service.count('invitation_stamps', caller)).toBe(0);
  });
});
