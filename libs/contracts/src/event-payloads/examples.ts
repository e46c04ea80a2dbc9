import type { EventEnvelope, EventType } from '../events.js';
import { mailEvents, type EmittedEvents } from './mail-examples.js';
import { eventPayloads } from './payloads.js';

const tenantId = 'ten_01M86TYSMTMQVAYQBASYV7253H';
const key = { type: 'key', id: 'key_01M86TZ6K6GGKCVZD9DG5CPEC5' } as const;

const contact = {
  id: 'ctc_01M86TZ6XDVBM4WSXK78FCV6FF',
  bookId: 'abk_01M86TYTG8NZHB0595VF9R8RM0',
  displayName: 'Mariana Souza',
  givenName: null,
  familyName: null,
  emails: [{ value: 'mariana.souza@example.net', type: 'work' }],
  phones: [{ value: '+33123456789', type: 'work' }],
  organization: 'Example Net',
  jobTitle: null,
  groups: [],
  notes: null,
  addresses: [],
  birthday: null,
  urls: [],
  mergedFrom: [],
  author: { type: 'key', id: 'key_01M86TZ6K6GGKCVZD9DG5CPEC5' },
  createdAt: '2026-11-24T13:12:22.188Z',
  updatedAt: '2026-11-24T13:12:22.188Z',
  version: 1,
  mergeLog: [],
};

/** After another contact was merged into it. */
const merged = {
  ...contact,
  emails: [
    { value: 'mariana.souza@example.net', type: 'work' },
    { value: 'm.souza@example.net', type: null },
  ],
  jobTitle: 'Head of Support',
  mergedFrom: ['ctc_01M86TZ6YMHDFS333K3TN501WK'],
  updatedAt: '2026-11-24T13:12:22.309Z',
  version: 3,
  mergeLog: [
    {
      at: '2026-11-24T13:12:22.309Z',
      by: { type: 'member', id: 'mbr_01M86TYSN6JHYECNH98KRDC97D' },
      mergedId: 'ctc_01M86TZ6YMHDFS333K3TN501WK',
      fields: ['emails'],
    },
  ],
};

const calendarEvent = {
  id: 'evt_01M86TZ71TNZ8J29BMFZB4B574',
  calendarId: 'cal_01M86TZ71J9DE0HQZMH6V325M0',
  uid: 'evt_01M86TZ71TNZ8J29BMFZB4B574@postroom',
  title: 'Export: a walk-through',
  description: '',
  location: '',
  startMs: 1796115600000,
  endMs: 1796117400000,
  timeZone: 'Europe/Paris',
  allDay: false,
  status: 'confirmed',
  busy: true,
  organizer: null,
  attendees: [
    {
      email: 'mariana@example.net',
      name: 'Mariana Souza',
      role: 'required',
      status: 'needs_action',
    },
  ],
  recurrence: null,
  overrides: [],
  reminders: [],
  conferenceLink: null,
  threadId: null,
  createdBy: { type: 'key', id: 'key_01M86TZ6K6GGKCVZD9DG5CPEC5' },
  createdAt: '2026-11-24T13:12:22.329Z',
  updatedAt: '2026-11-24T13:12:22.329Z',
  version: 1,
};

const task = {
  id: 'tsk_01M86TZ78C6Y5ME3FJVBN9H93N',
  title: 'Tell Mariana when the export is there',
  notes: '',
  status: 'todo',
  priority: 'high',
  assignee: 'admin@acme.test',
  teamId: null,
  dueMs: 1796115600000,
  timeZone: 'UTC',
  threadId: null,
  recurrence: null,
  reminders: [],
  source: 'manual',
  createdBy: { type: 'key', id: 'key_01M86TZ6K6GGKCVZD9DG5CPEC5' },
  createdAt: '2026-11-24T13:12:22.539Z',
  updatedAt: '2026-11-24T13:12:22.539Z',
  completedAt: null,
  completedBy: null,
  previousTaskId: null,
  nextTaskId: null,
  version: 1,
};

const emittedEvents: EmittedEvents = {
  ...mailEvents,
  'contact.created': {
    id: 'evn_01M86TZ6XEKKYCGBW5BDRBG96A',
    occurredAt: '2026-11-24T13:12:22.188Z',
    resource: 'ctc_01M86TZ6XDVBM4WSXK78FCV6FF',
    sequence: 1,
    data: contact,
  },
  'contact.updated': {
    id: 'evn_01M86TZ70GVEGF7FAYVNYM1X0B',
    occurredAt: '2026-11-24T13:12:22.239Z',
    resource: 'ctc_01M86TZ6XDVBM4WSXK78FCV6FF',
    sequence: 2,
    data: {
      ...contact,
      jobTitle: 'Head of Support',
      updatedAt: '2026-11-24T13:12:22.239Z',
      version: 2,
    },
    previous: { jobTitle: null },
  },
  'contact.deleted': {
    id: 'evn_01M86TZ71CRHS38VME3AFTC8X5',
    occurredAt: '2026-11-24T13:12:22.314Z',
    resource: 'ctc_01M86TZ6XDVBM4WSXK78FCV6FF',
    sequence: 4,
    data: merged,
  },
  'contact.merged': {
    id: 'evn_01M86TZ718H3Z7PGDZ2NBWNAW1',
    occurredAt: '2026-11-24T13:12:22.309Z',
    resource: 'ctc_01M86TZ6XDVBM4WSXK78FCV6FF',
    sequence: 3,
    actor: { type: 'member', id: 'mbr_01M86TYSN6JHYECNH98KRDC97D' },
    source: 'app',
    data: merged,
    previous: {
      emails: [{ value: 'mariana.souza@example.net', type: 'work' }],
      mergedFrom: [],
      mergeLog: [],
    },
  },
  'calendar_event.created': {
    id: 'evn_01M86TZ71T19QKY8JGM6E3G6J8',
    occurredAt: '2026-11-24T13:12:22.329Z',
    resource: 'evt_01M86TZ71TNZ8J29BMFZB4B574',
    sequence: 1,
    data: calendarEvent,
  },
  'calendar_event.updated': {
    id: 'evn_01M86TZ737Q87YX4ZQVBQ8BSGJ',
    occurredAt: '2026-11-24T13:12:22.367Z',
    resource: 'evt_01M86TZ71TNZ8J29BMFZB4B574',
    sequence: 2,
    data: {
      ...calendarEvent,
      location: 'Salle 2',
      updatedAt: '2026-11-24T13:12:22.367Z',
      version: 2,
    },
    previous: { location: '' },
  },
  'calendar_event.deleted': {
    id: 'evn_01M86TZ76QB6BF7MGDZ9P6FGXR',
    occurredAt: '2026-11-24T13:12:22.465Z',
    resource: 'evt_01M86TZ71TNZ8J29BMFZB4B574',
    sequence: 4,
    data: {
      ...calendarEvent,
      location: 'Salle 2',
      attendees: [
        {
          name: 'Mariana Souza',
          role: 'required',
          email: 'mariana@example.net',
          status: 'accepted',
        },
      ],
      updatedAt: '2026-11-24T13:12:22.395Z',
      version: 3,
    },
  },
  'calendar_event.rsvp_changed': {
    id: 'evn_01M86TZ7422YRHE97S3J7Z6WW1',
    occurredAt: '2026-11-24T13:12:22.395Z',
    resource: 'evt_01M86TZ71TNZ8J29BMFZB4B574',
    sequence: 3,
    data: {
      ...calendarEvent,
      location: 'Salle 2',
      attendees: [
        {
          email: 'mariana@example.net',
          name: 'Mariana Souza',
          role: 'required',
          status: 'accepted',
        },
      ],
      updatedAt: '2026-11-24T13:12:22.395Z',
      version: 3,
    },
    previous: {
      attendees: [
        {
          name: 'Mariana Souza',
          role: 'required',
          email: 'mariana@example.net',
          status: 'needs_action',
        },
      ],
    },
  },
  'task.created': {
    id: 'evn_01M86TZ78NNNSKZ421F2V3NATT',
    occurredAt: '2026-11-24T13:12:22.539Z',
    resource: 'tsk_01M86TZ78C6Y5ME3FJVBN9H93N',
    sequence: 1,
    data: task,
  },
  'task.updated': {
    id: 'evn_01M86TZ7HN4954ZVCZQ8F8H487',
    occurredAt: '2026-11-24T13:12:22.821Z',
    resource: 'tsk_01M86TZ78C6Y5ME3FJVBN9H93N',
    sequence: 2,
    data: { ...task, priority: 'normal', updatedAt: '2026-11-24T13:12:22.821Z', version: 2 },
    previous: { priority: 'high' },
  },
  'task.completed': {
    id: 'evn_01M86TZ7JB1QN905QBQJQGMPSN',
    occurredAt: '2026-11-24T13:12:22.852Z',
    resource: 'tsk_01M86TZ78C6Y5ME3FJVBN9H93N',
    sequence: 3,
    data: {
      ...task,
      status: 'done',
      priority: 'normal',
      updatedAt: '2026-11-24T13:12:22.852Z',
      completedAt: '2026-11-24T13:12:22.852Z',
      completedBy: { type: 'key', id: 'key_01M86TZ6K6GGKCVZD9DG5CPEC5' },
      version: 3,
    },
    previous: { status: 'todo', completedAt: null, completedBy: null },
  },
  'task.deleted': {
    id: 'evn_01M86TZ7MBNVKDG4QQ8GCV7ZRR',
    occurredAt: '2026-11-24T13:12:22.894Z',
    resource: 'tsk_01M86TZ78C6Y5ME3FJVBN9H93N',
    sequence: 4,
    data: {
      ...task,
      status: 'done',
      priority: 'normal',
      updatedAt: '2026-11-24T13:12:22.852Z',
      completedAt: '2026-11-24T13:12:22.852Z',
      completedBy: { id: 'key_01M86TZ6K6GGKCVZD9DG5CPEC5', type: 'key' },
      version: 3,
    },
  },
  'integration.test': {
    id: 'evn_01M86TZ7NCKJ20WJQH14GD5CE0',
    occurredAt: '2026-11-24T13:12:22.946Z',
    resource: 'ten_01M86TYSMTMQVAYQBASYV7253H',
    sequence: 1,
    data: { message: 'Webhooks of this workspace arrive.', webhookId: null },
  },
};

/**
 * An example of each event type that has a producer: events of a running product, not made up. A spec
 * holds each to the schema of its type.
 */
export const eventExamples: Partial<Readonly<Record<EventType, EventEnvelope>>> =
  Object.fromEntries(
    Object.entries(emittedEvents).map(([type, { resource, ...event }]) => [
      type,
      {
        ...{ type, tenantId, apiVersion: 'v1', actor: key, source: 'api', previous: null },
        ...event,
        resource: { type: eventPayloads[type as EventType].resource ?? '', id: resource },
      },
    ]),
  );
