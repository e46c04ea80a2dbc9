import { Drawer } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { browserZone } from '../ui/time.js';
import { EventForm } from './event-form.js';
import type { Planned } from './event-values.js';
import type { Happening } from './event-query.js';
import type { Times } from './moving.js';

/** An event that is open, or the times of a new one. */
export type OpenEvent =
  | { readonly happening: Happening; readonly times?: never; readonly threadId?: never }
  | { readonly times: Times; readonly threadId?: string; readonly happening?: never };

/** An event in full, or a new one. */
export function EventDrawer({ of, onClose }: { of: OpenEvent; onClose: () => void }): ReactElement {
  const { calendars } = useAccount();
  const { happening } = of;
  const event: Planned = happening
    ? { ...happening.event, startMs: happening.startMs, endMs: happening.endMs }
    : { ...blank, ...of.times, calendarId: calendars[0]?.id ?? '' };
  return (
    <Drawer
      {...{ opened: true, onClose, position: 'right', size: 'lg', closeOnClickOutside: false }}
      title={happening ? 'Event' : 'New event'}
    >
      <EventForm {...{ event, happening: happening ?? null, onClose, threadId: of.threadId }} />
    </Drawer>
  );
}

const blank = {
  ...{ title: '', timeZone: browserZone, recurrence: null, attendees: [], location: '' },
  ...{ conferenceLink: null, reminders: [], description: '', busy: true },
};
