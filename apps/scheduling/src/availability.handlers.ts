import { availableTimes, invalidField, timesMax, type Attendee } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import {
  candidatesMax,
  Expansion,
  listEvents,
  Windows,
  type SpannedEvent,
} from './events/index.js';
import { memberBehind } from './me.js';
import { freeTimes, joined, workingTimes } from './free-times.js';

/** More than usual events have; free times computed from a part of them would be wrong. */
const bytesMax = 32 * 1024 * 1024;

/** When a member is busy and free, by the calendars that they may see. */
export const AvailabilityHandlers = handlers(
  availableTimes,
  [Expansion, Windows],
  (expansion, windows) => ({
    find: async (context, { from, to, durationMs, timeZone = 'UTC', workingHours }) => {
      // A day that is one elsewhere may lie in the window here.
      const window = { fromMs: from - zonesApartMs, toMs: to + zonesApartMs };
      const query = { ...window, calendarId: null, reminding: false, bytesMax };
      const member = memberBehind(context.caller);
      const found = await windows.of(context, () => listEvents(context, member, query));
      if (found.isMore) throw tooMany;
      const events = found.events.map((event) => attendedBy(member.email, event));
      const task = { events, timeZone, ...window, max: timesMax };
      const busy = joined(await expansion.busy(context.tenantId, task), from, to);
      const working = workingTimes(workingHours, timeZone, { from, to });
      return {
        busy: busy.slice(0, timesMax),
        free: freeTimes(working, busy, durationMs).slice(0, timesMax),
      };
    },
  }),
);

/** Between the clocks of two zones there is never more. */
const zonesApartMs = 26 * 3_600_000;

/** An event as it keeps one of its people: a member who has declined is not busy. */
function attendedBy(email: string, event: SpannedEvent): SpannedEvent {
  const isOff = (people: readonly Attendee[]): boolean =>
    people.some((one) => one.email === email && one.status === 'declined');
  const overrides = event.overrides.map((one) => ({
    ...one,
    busy: (one.busy ?? event.busy) && !isOff(one.attendees ?? event.attendees),
  }));
  return { ...event, busy: event.busy && !isOff(event.attendees), overrides };
}

const tooMany = invalidField(
  'to',
  `plus de ${candidatesMax} événements, ou trop longs ; réduisez la période`,
  `more than ${candidatesMax} events, or too long ones: narrow the window`,
);
