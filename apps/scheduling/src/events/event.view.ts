import { recurrenceView, type CalendarEvent } from '@postroom/contracts';
import type { StoredEvent } from './event-record.js';

/** An event as the API shows it. */
export const eventView = (event: StoredEvent): CalendarEvent => ({
  id: event.id,
  calendarId: event.calendarId,
  uid: event.uid,
  title: event.title,
  description: event.description,
  location: event.location,
  startMs: event.startMs,
  endMs: event.endMs,
  timeZone: event.timeZone,
  allDay: event.allDay,
  status: event.status,
  busy: event.busy,
  visibility: event.visibility,
  organizer: event.organizer,
  attendees: [...event.attendees],
  recurrence: event.recurrence && recurrenceView(event.recurrence),
  overrides: [...event.overrides],
  reminders: [...event.reminders],
  conferenceLink: event.conferenceLink,
  threadId: event.threadId,
  createdBy: event.createdBy,
  createdAt: event.createdAt.toISOString(),
  updatedAt: event.updatedAt.toISOString(),
  version: event.version,
});
