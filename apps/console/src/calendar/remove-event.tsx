import type { CalendarEvent, EventAnswer } from '@postroom/contracts';
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api } from '../api/api.js';
import { offerUndo, tellDone, tellFailure } from '../ui/notices.js';
import type { Happening } from './event-query.js';
import { recurrenceOf } from './moving.js';
import { ScopeDialog, type Scope } from './scope-dialog.js';

/** Deletes an event, one of its times, or all from one on; what can be undone is offered to be. */
export function RemoveEvent(props: { happening: Happening; onClose: () => void }): ReactElement {
  const { happening, onClose } = props;
  const client = useQueryClient();
  const [asks, setAsks] = useState(false);
  const fresh = (): Promise<void> => client.invalidateQueries({ queryKey: ['events'] });
  const remove = async (scope: Scope | null): Promise<void> => {
    setAsks(false);
    onClose();
    try {
      const undo = await removeOf(happening, scope);
      await fresh();
      const done = `Deleted: ${happening.event.title}.`;
      if (undo) offerUndo(done, () => void undo().then(fresh, tellFailure));
      else tellDone(done);
    } catch (error) {
      tellFailure(error);
    }
  };
  return (
    <>
      <Button
        {...{ variant: 'subtle', color: 'red' }}
        onClick={() => (happening.event.recurrence ? setAsks(true) : void remove(null))}
      >
        Delete
      </Button>
      {asks && (
        <ScopeDialog
          {...{ title: 'Delete', onClose: () => setAsks(false) }}
          onChoose={(scope) => void remove(scope)}
        />
      )}
    </>
  );
}

/** @returns the way back; null where there is none */
async function removeOf(
  { event, occurrenceStartMs }: Happening,
  scope: Scope | null,
): Promise<(() => Promise<unknown>) | null> {
  const path = `/v1/calendar-events/${event.id}`;
  const { event: before } = await api.get<EventAnswer>(path);
  const part = scope === 'this' || scope === 'following' ? { occurrenceStartMs, scope } : {};
  await api.delete(path, { query: part, ifMatch: event.version });
  if (scope === 'following') return null;
  return scope === 'this' ? () => restoreOccurrence(path, before) : () => restore(before);
}

/** Deleting one occurrence adds to the exceptions and drops its own values: both come back. */
const restoreOccurrence = (path: string, event: CalendarEvent): Promise<unknown> =>
  api.patch(path, { recurrence: recurrenceOf(event) });

const restore = (event: CalendarEvent): Promise<unknown> => {
  const { calendarId, title, startMs, endMs, timeZone, allDay, status, busy, attendees } = event;
  const { description, location, organizer, reminders, conferenceLink, threadId } = event;
  return api.post('/v1/calendar-events', {
    ...{ calendarId, title, startMs, endMs, timeZone, allDay, status, busy, attendees },
    ...{ description, location, organizer, reminders, conferenceLink, threadId },
    recurrence: recurrenceOf(event),
  });
};
