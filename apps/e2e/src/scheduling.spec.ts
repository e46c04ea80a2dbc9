// tags: own
import { randomUUID } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTransport } from 'nodemailer';
import { until } from '@postroom/testing/until';
import type { RunningProduct } from './product.js';
import { SettingsApi } from './settings-api.js';
import { type SigningDomain, startSigningDomain } from './signing-domain.js';
import { conversationOf, pageOf, recordOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

const guest = 'camille@guests.example';
const hourMs = 3_600_000;

interface Event {
  readonly id: string;
  readonly uid: string;
  readonly attendees: readonly { readonly status: string }[];
}

let domain: SigningDomain;
let running: RunningProduct;
let place: Workplace;
let mailbox: string;
let api: OwnKey;

beforeAll(async () => {
  domain = await startSigningDomain('guests.example');
  ({ running } = domain);
  place = await Workplace.open('acme', running.product);
  mailbox = await place.mailbox();
  const scopes = ['read:conversations', 'read:calendar', 'write:calendar', 'read:tasks'];
  api = await place.keyFor(mailbox, { scopes, member: place.tenant.member.email });
});

afterAll(() => domain.stop());

async function eventOf(given: object = {}): Promise<Event> {
  const made = await api.post('/v1/calendars', { name: 'Visits' }, randomUUID());
  const { id: calendarId } = recordOf(made)['calendar'] as { id: string };
  const startMs = Date.now() + 48 * hourMs;
  const input = { calendarId, title: 'Visit', startMs, endMs: startMs + hourMs, ...given };
  const answer = await api.post('/v1/calendar-events', input, randomUUID());
  return recordOf(answer)['event'] as Event;
}
const eventNow = async ({ id }: Event): Promise<Event> =>
  recordOf(await api.get(`/v1/calendar-events/${id}`))['event'] as Event;

describe('an answer to an invitation', () => {
  /** The result of a message's answer, as the message shows it. */
  async function answered({ uid }: Event, partstat: string, signed: object): Promise<string> {
    const subject = randomUUID();
    const content = [
      ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'METHOD:REPLY', 'BEGIN:VEVENT', `UID:${uid}`],
      ...['SEQUENCE:0', `DTSTAMP:${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`],
      ...[`ATTENDEE;PARTSTAT=${partstat}:mailto:${guest}`, 'END:VEVENT', 'END:VCALENDAR', ''],
    ].join('\r\n');
    const transport = createTransport({ ...running.product.smtp, ignoreTLS: true });
    await transport.sendMail({
      ...{ from: guest, to: mailbox, subject, text: 'I will.', ...signed },
      icalEvent: { method: 'REPLY', content },
    });
    const { conversations } = pageOf(await api.get('/v1/conversations', { mailbox, limit: 100 }));
    const id = conversations.find((one) => one.subject === subject)?.id;
    const shown = async (): Promise<{ state: string; uid: string } | null> => {
      const answer = await api.get(`/v1/conversations/${id}`, { mailbox });
      const [message] = conversationOf(answer).messages;
      return (message as unknown as { invitation: { state: string; uid: string } | null })
        .invitation;
    };
    await until(async () => (await shown()) !== null);
    const invitation = await shown();
    expect(invitation).toMatchObject({ method: 'REPLY', uid });
    return invitation?.state ?? '';
  }

  it('that comes by mail is applied when its author signed it, and shown with the message', async () => {
    const event = await eventOf({ attendees: [{ email: guest }] });
    expect(await answered(event, 'DECLINED', {})).toBe('refused');
    expect((await eventNow(event)).attendees).toMatchObject([{ status: 'needs_action' }]);
    expect(await answered(event, 'ACCEPTED', { dkim: domain.dkim })).toBe('applied');
    expect((await eventNow(event)).attendees).toMatchObject([{ status: 'accepted' }]);
    const unknown = { ...event, uid: `${randomUUID()}@nowhere.test` };
    expect(await answered(unknown, 'ACCEPTED', { dkim: domain.dkim })).toBe('unmatched');
  });
});

describe('a calendar file', () => {
  it('is read by the time zones that it defines', async () => {
    const made = await api.post('/v1/calendars', { name: 'Import' }, randomUUID());
    const { id } = recordOf(made)['calendar'] as { id: string };
    const file = [
      ...['BEGIN:VCALENDAR', 'BEGIN:VTIMEZONE', 'TZID:Customized Time Zone', 'BEGIN:STANDARD'],
      ...['DTSTART:16010101T000000', 'TZOFFSETFROM:+0530', 'TZOFFSETTO:+0530', 'END:STANDARD'],
      ...['END:VTIMEZONE', 'BEGIN:VEVENT', 'UID:one', 'RRULE:FREQ=DAILY', 'DURATION:PT1H'],
      'DTSTART;TZID=Customized Time Zone:20260701T090000',
      ...['END:VEVENT', 'END:VCALENDAR', ''],
    ].join('\r\n');
    const { email, password } = place.tenant.member;
    const member = await SettingsApi.signIn(running.product, { email, password });
    const headers = { 'Content-Type': 'text/calendar' };
    const taken = await member.request('POST', `/calendars/${id}/import`, file, headers);
    expect(recordOf(taken)).toMatchObject({ created: 1, unreadable: [] });
    const startMs = Date.parse('2026-07-01T03:30:00Z');
    const asked = { calendarId: id, from: startMs, to: startMs + hourMs };
    const { events } = recordOf(await api.get('/v1/calendar-events', asked));
    expect(events).toMatchObject([{ uid: 'one', startMs }]);
  });
});

describe('the feed of a calendar', () => {
  /** The address of a new calendar's feed. */
  async function feedOf(member: SettingsApi, scope: 'personal' | 'shared'): Promise<string> {
    const made = await member.post('/v1/calendars', { name: 'Feed', scope });
    const { id } = recordOf(made)['calendar'] as { id: string };
    return String(recordOf(await member.post(`/calendars/${id}/feed`, {}))['url']);
  }
  const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;

  it('ends with its member, and is there again when the member is active again', async () => {
    const person = { email: `${randomUUID()}@acme.test`, password: randomUUID() };
    const given = { ...person, name: 'Sam', role: 'admin', canApprove: false };
    const { member } = recordOf(await place.settings.post('/members', given)) as unknown as {
      member: { id: string };
    };
    const signedIn = await SettingsApi.signIn(running.product, person);
    const [own, shared] = [await feedOf(signedIn, 'personal'), await feedOf(signedIn, 'shared')];
    const seen = async () => [await statusOf(own), await statusOf(shared)];
    expect(await seen()).toEqual([200, 200]);
    const path = `/members/${member.id}`;
    await place.settings.patch(path, { active: false });
    expect(await seen()).toEqual([404, 200]);
    await place.settings.patch(path, { active: true });
    expect(await seen()).toEqual([200, 200]);
    await place.settings.delete(path);
    expect(await seen()).toEqual([404, 200]);
  });
});

describe('a reminder', () => {
  /** The messages of a member's stream. */
  async function streamOf(person: { email: string; password: string }) {
    const { cookie } = await SettingsApi.signIn(running.product, person);
    const said = {
      text: '',
      close: (): unknown => null,
      /** Its reminders of a resource. */
      due: (id: string) =>
        said.text
          .split('\n\n')
          .filter((block) => block.includes('event: reminder.due') && block.includes(id)),
    };
    await new Promise<void>((resolve, reject) => {
      const url = `${running.product.settingsUrl}/stream`;
      const take = (response: IncomingMessage): void => {
        response.setEncoding('utf8').on('data', (chunk: string) => (said.text += chunk));
        response.on('error', () => undefined);
        said.close = () => response.destroy();
        if (response.statusCode === 200) resolve();
        else reject(new Error(`status ${response.statusCode}`));
      };
      get(url, { headers: { cookie } }, take).on('error', reject);
    });
    return said;
  }

  it('reaches the stream of those who may see its calendar, once', async () => {
    const theirs = await streamOf(place.tenant.member);
    const others = await streamOf(place.tenant.admin);
    const startMs = Date.now() + 10 * 60_000 + 5_000;
    const due = { startMs, endMs: startMs + hourMs, reminders: [{ minutes: 10 }] };
    const { id } = await eventOf(due);
    await until(() => theirs.due(id).length > 0);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(theirs.due(id)).toHaveLength(1);
    expect(others.text).not.toContain(id);
    const { remindersDue } = recordOf(await api.get('/v1/calendar-events'));
    const dueMs = startMs - 10 * 60_000;
    expect(remindersDue).toContainEqual({
      eventId: id,
      occurrenceStartMs: startMs,
      dueMs,
      minutes: 10,
    });
    for (const { close } of [theirs, others]) close();
  });
});
