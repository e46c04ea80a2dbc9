import { emitted } from './emitted.js';
import type { EventExamples } from './event-examples.js';

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

/** Events of calendars, as a running product has emitted them. */
export const calendarExamples: EventExamples = {
  'calendar_event.created': emitted('calendar_event.created', {
    id: 'evn_01M86TZ71T19QKY8JGM6E3G6J8',
    occurredAt: '2026-11-24T13:12:22.329Z',
    resource: 'evt_01M86TZ71TNZ8J29BMFZB4B574',
    sequence: 1,
    data: calendarEvent,
  }),
  'calendar_event.updated': emitted('calendar_event.updated', {
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
  }),
  'calendar_event.deleted': emitted('calendar_event.deleted', {
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
  }),
  'calendar_event.rsvp_changed': emitted('calendar_event.rsvp_changed', {
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
  }),
};
