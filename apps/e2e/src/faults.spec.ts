import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { deliverRaw } from './mail.js';
import type { SettingsApi } from './settings-api.js';
import { conversationOf, mailboxOf, pageOf, recordOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

/** Files that outsiders wrote, and what is right for each; kept beside the repository, which not everyone has. */
const folder = fileURLToPath(new URL('../../../../shared/faults/', import.meta.url));
const found = existsSync(folder) ? describe : describe.skip;

const umlauts = { text: 'Grüße aus Köln – 5 €\n' };
const ann = { email: 'ann@example.com', name: 'Ann' };
const hana = { email: 'ha..na.@docomo.example', name: 'Hana' };
const customer = { email: 'cust.omer@example.com', name: 'Cust Omer' };
const auto = { isAutoReply: true };

const waits = { waitingSince: expect.any(String), status: 'open' };

/** By file, what its message shows, and what its conversation does. */
const mail: readonly (readonly [string, object, object?])[] = [
  ['01a-contact-form', { extractedText: expect.stringMatching(/^You have[^]*order 4711\.\n+$/) }],
  ['01b-outlook-forward', { extractedText: expect.stringMatching(/^Please[^]*serial 4711\.\n+$/) }],
  ['02a-person-with-x-auto-response-suppress', { isAutoReply: false }, waits],
  [
    '03a-flowed-answer-in-quote',
    { text: expect.stringMatching(/also \nOrder 4711\.\n> the date/) },
  ],
  [
    '03b-flowed-paragraphs',
    { text: expect.stringMatching(/open\. \n\nPlease[^]*office\. \n\nThanks/) },
  ],
  ['03c-flowed-quote-continues', { extractedText: 'Order 4711.\n' }],
  ['04a-google-group', { from: { email: 'ann.smith@gmail.example', name: 'Ann Smith' } }, waits],
  [
    '04b-web-form-reply-to',
    { replyTo: [customer] },
    { ...waits, participants: expect.arrayContaining([customer]) },
  ],
  ['05a-undeclared-qp', umlauts],
  ['05b-undeclared-multipart-8bit', umlauts],
  ['05d-iso-2022-jp-undeclared', { text: 'お問い合わせありがとうございます。\n' }],
  ['05f-raw-latin1-filename', { attachments: [{ filename: 'Übersicht.pdf' }] }],
  ['06a-encoded-words-split-padded', { subject: '請求書を送付いたしますのでご確認ください' }],
  ['07a-cp850', { text: 'Grüße' }],
  ['07b-charset-param-garbled', { text: 'Grüße' }],
  ['08a-content-type-text', { text: expect.stringMatching(/^body of the message\n+$/) }],
  ['09a-no-blank-line-in-part', { text: expect.stringMatching(/^Hello[^]*second line\n$/) }],
  [
    '09b-no-blank-line-single',
    { text: expect.stringMatching(/^Hello, this is the body\nsecond line\n+$/) },
  ],
  [
    '10a-qp-soft-break-with-blanks',
    { text: expect.stringMatching(/^The price is 100 Euro, please confirm\.\n+$/) },
  ],
  ['11a-outlook-danish', { extractedText: 'It works now.\n' }],
  ['11d-outlook-html-danish', { extractedText: 'It works now.\n' }],
  ['12a-exchange-oof-subject-only', auto],
  ['12b-x-precedence', auto],
  ['13a-qmail-bounce', { bounce: true, bounced: { recipient: 'nobody@gone.example' } }],
  ['13b-arf', { bounce: true, bounced: { action: 'complained' } }],
  ['15a-docomo-dots', { from: hana }],
  ['15a2-header-from-dots', { from: hana }],
  ['15b-from-unquoted-comma', { from: { ...ann, name: 'Smith, Ann' } }],
  ['16a-asctime-date', { sentAt: '2026-06-02T10:00:00.000Z' }],
  ['18a-amp', { text: 'plain\n', html: '<p>rich</p>\n', attachments: [] }],
  // It has nothing in it: nothing of a message is lost.
  ['18b-winmail', { attachments: [{ filename: 'winmail.dat' }] }],
];

const day = (...days: string[]): string[] => days.map((one) => `${one}T00:00Z`);

/** By calendar file, when its occurrences begin, and what its event shows. */
const calendars: readonly (readonly [string, readonly string[], object?])[] = [
  ['tzid-bst-own-vtimezone', ['2026-07-01T08:00Z']],
  ['floating-x-wr-timezone', ['2026-07-01T13:00Z']],
  ['exdate-date-on-timed', ['2026-03-02T08:00Z', '2026-03-16T08:00Z']],
  ['override-before-master', ['2026-03-02T08:00Z', '2026-03-10T13:00Z', '2026-03-16T08:00Z']],
  ['override-allday-o365', day('2026-02-19', '2026-02-24', '2026-02-27', '2026-03-03')],
  [
    'override-timed-becomes-allday',
    ['2026-03-02T08:00Z', '2026-03-09T00:00Z', '2026-03-16T08:00Z'],
    { overrides: [{ allDay: true, title: 'whole day' }] },
  ],
  ['birthday-1958', day('2026-02-14')],
  [
    'wkst-su-biweekly',
    [
      ...['2026-03-01T14:00Z', '2026-03-04T14:00Z', '2026-03-15T13:00Z', '2026-03-18T13:00Z'],
      ...['2026-03-29T13:00Z', '2026-04-01T13:00Z'],
    ],
  ],
  ['rdate', ['2026-03-02T08:00Z', '2026-03-05T08:00Z', '2026-03-10T08:00Z']],
  ['utf8-fold', ['2026-03-01T09:00Z'], { title: expect.stringMatching(/^é+$/) }],
  ['latin1', ['2026-03-01T09:00Z'], { title: 'Réunion équipe' }],
  ['date-without-value', day('2026-03-01'), { allDay: true }],
  ['alarm-empty-trigger', ['2026-03-01T09:00Z'], { title: 'dentist', reminders: [] }],
  ['alarms-dropped', day('2026-03-01'), { title: 'day' }],
  ['uid-300', ['2026-03-01T09:00Z'], { uid: expect.stringMatching(/^u{150}/) }],
  [
    'attendee-email-param',
    ['2026-03-01T09:00Z'],
    { organizer: { email: 'bob@example.org' }, attendees: [{ email: 'jane@example.org' }] },
  ],
  ['duration-p1d-dst', ['2026-03-28T11:00Z'], { endMs: Date.parse('2026-03-29T10:00Z') }],
];

/** By table or card, the contacts that are read of it. */
const contacts: readonly (readonly [string, readonly object[]])[] = [
  [
    'outlook-fr.csv',
    [{ displayName: 'Jane Dupont', organization: 'Acme', emails: [{ value: 'jane@exemple.fr' }] }],
  ],
  ['thunderbird.csv', [{ displayName: 'Jane Doe', phones: [{ value: '+33612345678' }] }]],
  ['google-utf16.csv', [{ displayName: 'Jané Doe', emails: [{ value: 'j@e.org' }] }]],
  [
    'csv-stray-quote.csv',
    [{ displayName: 'Ann', notes: '5" pipe' }, { displayName: 'Bob' }, { displayName: 'Cid' }],
  ],
  ['vcard21-fold.vcf', [{ displayName: 'Jane Doe', notes: 'call before noon' }]],
];

/** By mbox file, the conversations that it becomes, in the order of their subjects. */
const imports: readonly (readonly [string, readonly object[]])[] = [
  [
    '14a-takeout',
    [
      { placement: 'inbox', messageCount: 2, waitingSince: null },
      { placement: 'spam' },
      { placement: 'trash' },
      { placement: 'archived', labels: ['Customers/ACME'] },
    ],
  ],
  ['14c-no-date', [{ lastMessageAt: '2020-06-02T10:00:00.000Z' }]],
];

/** The spec that gives invitations their effects, which begin with an event. */
const invitations = new URL(
  '../../scheduling/src/invitations/invitations.spec.ts',
  import.meta.url,
);

found('a file that was read wrong', () => {
  let place: Workplace;
  let settings: SettingsApi;
  let key: OwnKey;
  const made = new Map<string, string>();

  beforeAll(async () => {
    place = await Workplace.open('acme');
    settings = place.settings;
    for (const [name] of mail) made.set(name, await place.mailbox());
    const mailboxes = [...made.values()].map((address) => ({ address, access: 'read' as const }));
    key = await place.key({ mailboxes });
  });

  const read = (path: string) => readFile(folder + path);
  const ok = (answer: Parameters<typeof recordOf>[0]) => {
    expect(answer.text).toMatch(/^\{(?!"error")/);
    return recordOf(answer);
  };

  it.each(mail)('is read as mail: %s', async (name, expected, conversation = {}) => {
    const mailbox = made.get(name) ?? '';
    await deliverRaw(place.product, mailbox, await read(`mail/${name}.eml`));
    const { conversations } = pageOf(await key.get('/v1/conversations', { mailbox }));
    expect(conversations).toMatchObject([conversation]);
    const id = conversations[0]?.id ?? '';
    const whole = conversationOf(await key.get(`/v1/conversations/${id}`, { mailbox }));
    expect(whole.messages).toMatchObject([expected]);
  });

  it('has a row', async () => {
    const invited = await readFile(invitations, 'utf8');
    const rows = [...mail, ...calendars, ...contacts, ...imports].map(([name]) => name);
    const files = await Promise.all(['mail', 'time'].map((kind) => readdir(folder + kind)));
    const without = files.flat().filter((file) => {
      const name = file.replace(/\.(eml|mbox|ics)$/, '');
      return !rows.includes(name) && !invited.includes(`'${name}'`);
    });
    expect(without).toEqual([]);
  });

  it.each(imports)('is read as mail of a while ago: %s', async (name, expected) => {
    const address = `old-${randomUUID()}@acme.test`;
    const { id } = mailboxOf(await settings.post('/mailboxes', { address, name }));
    const file = (await read(`mail/${name}.mbox`))
      .toString()
      .replaceAll('sales@acme.test', address);
    const headers = { 'Content-Type': 'application/mbox' };
    ok(await settings.request('POST', `/mailboxes/${id}/import`, Buffer.from(file), headers));
    const reader = await place.keyFor(address);
    const query = { mailbox: address, placement: 'all' };
    const { conversations } = pageOf(await reader.get('/v1/conversations', query));
    const bySubject = conversations.toSorted((a, b) => a.subject.localeCompare(b.subject));
    expect(bySubject).toMatchObject(expected);
  });

  it.each(calendars)('is read as a calendar: %s', async (name, starts, expected = {}) => {
    const { calendar } = ok(await settings.post('/v1/calendars', { name }));
    const { id: calendarId } = calendar as { id: string };
    const file = await read(`time/${name}.ics`);
    const headers = { 'Content-Type': 'text/calendar' };
    const path = `/calendars/${calendarId}/import`;
    const counts = ok(await settings.request('POST', path, file, headers));
    expect(counts).toMatchObject({ unreadableCount: 0 });
    const [from, to] = [Date.parse('2026-01-01'), Date.parse('2026-12-31')];
    const query = `calendarId=${calendarId}&from=${from}&to=${to}`;
    const list = ok(await settings.get(`/v1/calendar-events?${query}`));
    const { events, occurrences } = list as {
      events: object[];
      occurrences: { startMs: number }[];
    };
    const at = occurrences.map(({ startMs }) =>
      new Date(startMs).toISOString().replace(':00.000', ''),
    );
    expect(at.toSorted()).toEqual(starts);
    expect(events).toMatchObject([expected]);
  });

  it.each(contacts)('is read as contacts: %s', async (name, expected) => {
    const { book } = ok(await settings.post('/address-books', { name }));
    const { id: bookId } = book as { id: string };
    const type = name.endsWith('.csv') ? 'text/csv' : 'text/vcard';
    const headers = { 'Content-Type': type };
    const path = `/address-books/${bookId}/import`;
    const file = await read(`time/${name}`);
    const counts = ok(await settings.request('POST', path, file, headers));
    expect(counts).toMatchObject({ created: expected.length, unreadableCount: 0 });
    const list = ok(await settings.get(`/v1/contacts?bookId=${bookId}`));
    expect(list['contacts']).toMatchObject(expected);
  });
});
