import type {
  Calendar,
  CalendarAnswer,
  CalendarList,
  CalendarScope,
  ConversationPage,
  EventAnswer,
  EventList,
  TaskCreated,
} from '@postroom/contracts';
import type { DemoTenant } from './demo-facts.js';
import { SettingsClient } from './settings-client.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const timeZone = 'Europe/Paris';

/** The next full hour that many days ahead. */
const at = (days: number): number => Math.ceil(Date.now() / hourMs) * hourMs + days * dayMs;

/**
 * Makes a calendar of the workspace and one of each member's own, events around today, and tasks about
 * conversations. It is idempotent: calendars and events are known by their names, and a conversation has a
 * task of a title once.
 */
export async function planDemoWork(settingsUrl: string, tenant: DemoTenant): Promise<void> {
  const admin = await signedIn(settingsUrl, tenant.admin);
  const member = await signedIn(settingsUrl, tenant.member);
  const team = await calendarNamed(admin, 'Équipe', 'shared');
  await eventIn(admin, team, {
    title: 'Point du matin',
    ...{ startMs: at(-7), endMs: at(-7) + hourMs / 4, timeZone, reminders: [{ minutes: 10 }] },
    recurrence: { freq: 'weekly', byDay: ['MO', 'TU', 'WE', 'TH', 'FR'], timeZone },
  });
  await eventIn(admin, team, {
    title: 'Revue avec Lumen Énergie',
    ...{ startMs: at(2), endMs: at(2) + hourMs, timeZone, location: 'Salle Ampère' },
    attendees: [{ email: 'claire.dubois@example.com', name: 'Claire Dubois' }],
  });
  const own = await calendarNamed(admin, 'Ada', 'personal');
  await eventIn(admin, own, { title: 'Entretien annuel', startMs: at(5), endMs: at(5) + hourMs });
  const others = await calendarNamed(member, 'Max', 'personal');
  await eventIn(member, others, { title: 'Congé', startMs: at(9), endMs: at(14), allDay: true });
  await tasksOf(member, tenant);
}

async function signedIn(settingsUrl: string, person: DemoTenant['admin']): Promise<SettingsClient> {
  const client = new SettingsClient(settingsUrl);
  await client.call('POST', '/session', person);
  return client;
}

async function calendarNamed(
  client: SettingsClient,
  name: string,
  scope: CalendarScope,
): Promise<Calendar> {
  const { calendars } = await client.call<CalendarList>('GET', '/v1/calendars');
  const known = calendars.find((one) => one.name === name && one.scope === scope);
  if (known) return known;
  return (await client.call<CalendarAnswer>('POST', '/v1/calendars', { name, scope })).calendar;
}

async function eventIn(
  client: SettingsClient,
  { id: calendarId }: Calendar,
  event: { readonly title: string } & Readonly<Record<string, unknown>>,
): Promise<void> {
  const listed = `/v1/calendar-events?calendarId=${calendarId}`;
  const { events } = await client.call<EventList>('GET', listed);
  if (events.some(({ title }) => title === event.title)) return;
  await client.call<EventAnswer>('POST', '/v1/calendar-events', { calendarId, ...event });
}

/** One task a conversation, and one that repeats. */
async function tasksOf(client: SettingsClient, { mailboxes, member }: DemoTenant): Promise<void> {
  const [mailbox = ''] = mailboxes;
  const path = `/v1/conversations?mailbox=${encodeURIComponent(mailbox)}`;
  const { conversations } = await client.call<ConversationPage>('GET', path);
  for (const { id: threadId, subject } of conversations.slice(0, 3)) {
    const task = { title: `Répondre : ${subject}`.slice(0, 200), threadId, source: 'mail' };
    await client.call<TaskCreated>('POST', '/v1/tasks', { ...task, dueMs: at(1) });
  }
  const [first] = conversations;
  await client.call<TaskCreated>('POST', '/v1/tasks', {
    title: 'Relancer les factures en attente',
    ...{ threadId: first?.id ?? null, dueMs: at(3), timeZone, assignee: member.email },
    ...{ priority: 'high', recurrence: { freq: 'monthly', byMonthDay: [-1], timeZone } },
  });
}
