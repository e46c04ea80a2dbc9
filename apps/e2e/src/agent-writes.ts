import { randomUUID } from 'node:crypto';
import type { Answer } from './http.js';
import { conversationOf, draftOf, draftsOf, recordOf } from './wire.js';
import type { OwnKey, Workplace } from './workplace.js';

/** The operations that an agent may call. */
export const agentScopes = [
  ...['conversations', 'contacts', 'calendar', 'tasks'].flatMap((name) => [
    `read:${name}`,
    `write:${name}`,
  ]),
  'drafts:write',
];

/** A write on resources of its own, ready to be asked for. */
export interface ReadyWrite {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  /** The state as the API shows it: to check that nothing has changed. */
  readonly look: () => Promise<unknown>;
  /** The same request for something that is not there. */
  readonly unknown?: string;
  /** The number of resources that it makes: a write that is done twice would make another. */
  readonly made?: () => Promise<number>;
}

/** Makes what a write needs; its mark is in what it makes or changes. */
type Prepare = (mark: string) => Promise<ReadyWrite>;

/** The workspace of the writes, and the key that prepares them directly. */
export interface WritePlace {
  readonly place: Workplace;
  readonly mailbox: string;
  readonly bookId: string;
  readonly direct: OwnKey;
}

/** Asks for a write. */
export const askFor = (
  key: OwnKey,
  { method, path, body }: Pick<ReadyWrite, 'method' | 'path' | 'body'>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> => key.request(method, path, body && JSON.stringify(body), headers);

/** Every write of the public API that may have to wait, by its operation. */
export const agentWrites = (where: WritePlace): Readonly<Record<string, Prepare>> => ({
  ...conversationWrites(where),
  ...draftWrites(where),
  ...contactWrites(where),
  ...calendarWrites(where),
  ...taskWrites(where),
  'webhookTests.emit': () =>
    Promise.resolve({
      ...{ method: 'GET', path: '/v1/webhooks/test', look: () => Promise.resolve(null) },
    }),
});

const nobody = '00000000000000000000000000';

/** Makes one directly. @returns its id */
const made = async (
  { direct }: WritePlace,
  path: string,
  one: object,
  name: string,
): Promise<string> =>
  (recordOf(await direct.post(path, one, randomUUID()))[name] as { id: string }).id;

/** The resources in a list, and how many of them have a text as a field. */
const listed = async ({ direct }: WritePlace, path: string): Promise<object> => {
  const { window: _, ...rest } = recordOf(await direct.get(path));
  return rest;
};
const counted = (list: unknown, field: string, text: string): number =>
  (list as object[]).filter((one) => Reflect.get(one, field) === text).length;

function conversationWrites({ place, direct, mailbox }: WritePlace): Record<string, Prepare> {
  const on =
    (verb: string, more: (mark: string) => object = () => ({}), before = '', given = {}): Prepare =>
    async (mark) => {
      const { id } = await place.receive(direct, mailbox);
      if (before) await direct.post(`/v1/conversations/${id}/${before}`, { mailbox, ...given });
      const look = async () =>
        conversationOf(await direct.get(`/v1/conversations/${id}`, { mailbox }));
      return {
        ...{ method: 'POST', path: `/v1/conversations/${id}/${verb}`, look },
        body: { mailbox, ...more(mark) },
        unknown: `/v1/conversations/cnv_${nobody}/${verb}`,
        ...(verb === 'comment' && {
          made: async () => counted((await look()).comments, 'text', mark),
        }),
      };
    };
  const inAnHour = () => ({ until: new Date(Date.now() + 3_600_000).toISOString() });
  return {
    'conversations.archive': on('archive'),
    'conversations.reopen': on('reopen', undefined, 'archive'),
    'conversations.comment': on('comment', (text) => ({ text })),
    'conversations.assign': on('assign', () => ({ status: 'pending' })),
    'conversations.label': on('labels', (label) => ({ add: [label] })),
    'conversations.snooze': on('snooze', inAnHour),
    'conversations.unsnooze': on('unsnooze', undefined, 'snooze', inAnHour()),
    'conversations.read': on('read', () => ({ unread: false })),
    'conversations.move': on('move', () => ({ placement: 'trash' })),
  };
}

function draftWrites({ direct, mailbox }: WritePlace): Record<string, Prepare> {
  const someDraft = async (): Promise<string> =>
    draftOf(await direct.post('/v1/drafts', { mailbox, draft: { subject: 'Before' } })).id;
  const look = async () => draftsOf(await direct.get('/v1/drafts', { mailbox, limit: 100 }));
  const query = `?mailbox=${encodeURIComponent(mailbox)}`;
  return {
    'drafts.create': (subject) =>
      Promise.resolve({
        ...{ method: 'POST', path: '/v1/drafts', look },
        body: { mailbox, draft: { subject, to: 'camille@correspondent.example' } },
        made: async () => counted((await look()).drafts, 'subject', subject),
      }),
    'drafts.update': async (subject) => ({
      ...{ method: 'PATCH', path: `/v1/drafts/${await someDraft()}`, look },
      body: { mailbox, draft: { subject } },
      unknown: `/v1/drafts/drf_${nobody}`,
    }),
    'drafts.remove': async () => ({
      ...{ method: 'DELETE', path: `/v1/drafts/${await someDraft()}${query}`, look },
      unknown: `/v1/drafts/drf_${nobody}${query}`,
    }),
  };
}

function contactWrites(where: WritePlace): Record<string, Prepare> {
  const { bookId } = where;
  const look = () => listed(where, '/v1/contacts');
  const aContact = (displayName: string) => ({
    ...{ bookId, displayName, emails: [{ value: `${randomUUID()}@x.test` }] },
  });
  const path = async () =>
    `/v1/contacts/${await made(where, '/v1/contacts', aContact('Camille'), 'contact')}`;
  const unknown = `/v1/contacts/ctc_${nobody}`;
  return {
    'contacts.create': (name) =>
      Promise.resolve({
        ...{ method: 'POST', path: '/v1/contacts', body: aContact(name), look },
        made: async () => {
          const { contacts } = (await listed(where, `/v1/contacts?q=${name}`)) as Contacts;
          return counted(contacts, 'displayName', name);
        },
      }),
    'contacts.update': async (jobTitle) => ({
      ...{ method: 'PATCH', path: await path(), body: { jobTitle }, look, unknown },
    }),
    'contacts.remove': async () => ({ method: 'DELETE', path: await path(), look, unknown }),
  };
}

interface Contacts {
  readonly contacts: unknown;
}

function calendarWrites(where: WritePlace): Record<string, Prepare> {
  const aCalendar = () => made(where, '/v1/calendars', { name: 'Team' }, 'calendar');
  const anEvent = (calendarId: string, title: string) => ({
    ...{ calendarId, title, startMs: 1_900_000_000_000, endMs: 1_900_000_360_000 },
  });
  const path = async () => {
    const event = anEvent(await aCalendar(), 'Meeting');
    return `/v1/calendar-events/${await made(where, '/v1/calendar-events', event, 'event')}`;
  };
  const look = () => listed(where, '/v1/calendar-events');
  const unknown = `/v1/calendar-events/evt_${nobody}`;
  const calendars = () => listed(where, '/v1/calendars');
  return {
    'calendars.create': (name) =>
      Promise.resolve({
        ...{ method: 'POST', path: '/v1/calendars', body: { name }, look: calendars },
        made: async () =>
          counted(((await calendars()) as { calendars: unknown }).calendars, 'name', name),
      }),
    'calendarEvents.create': async (title) => {
      const calendarId = await aCalendar();
      const window = `from=1899999999999&to=1900000360001&calendarId=${calendarId}`;
      return {
        ...{ method: 'POST', path: '/v1/calendar-events', body: anEvent(calendarId, title), look },
        made: async () => {
          const found = await listed(where, `/v1/calendar-events?${window}`);
          return counted((found as { events: unknown }).events, 'title', title);
        },
      };
    },
    'calendarEvents.update': async (title) => ({
      ...{ method: 'PATCH', path: await path(), body: { title }, look, unknown },
    }),
    'calendarEvents.remove': async () => ({ method: 'DELETE', path: await path(), look, unknown }),
  };
}

function taskWrites(where: WritePlace): Record<string, Prepare> {
  const look = () => listed(where, '/v1/tasks');
  const path = async () =>
    `/v1/tasks/${await made(where, '/v1/tasks', { title: randomUUID() }, 'task')}`;
  const unknown = `/v1/tasks/tsk_${nobody}`;
  return {
    'tasks.create': (title) =>
      Promise.resolve({
        ...{ method: 'POST', path: '/v1/tasks', body: { title }, look },
        made: async () => {
          const { tasks } = (await listed(where, `/v1/tasks?q=${title}`)) as { tasks: unknown };
          return counted(tasks, 'title', title);
        },
      }),
    'tasks.update': async (notes) => ({
      ...{ method: 'PATCH', path: await path(), body: { notes }, look, unknown },
    }),
    'tasks.remove': async () => ({ method: 'DELETE', path: await path(), look, unknown }),
  };
}
