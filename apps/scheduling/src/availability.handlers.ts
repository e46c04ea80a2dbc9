import { availableTimes, invalidField, timesMax } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { candidatesMax, Expansion, listEvents, Windows } from './events/index.js';
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
      const window = { fromMs: from, toMs: to };
      const query = { ...window, calendarId: null, reminding: false, bytesMax };
      const found = await windows.of(context, () =>
        listEvents(context, memberBehind(context.caller), query),
      );
      if (found.isMore) throw tooMany;
      const task = { events: found.events, ...window, max: timesMax };
      const busy = joined(await expansion.busy(context.tenantId, task), from, to);
      const working = workingTimes(workingHours, timeZone, { from, to });
      return {
        busy: busy.slice(0, timesMax),
        free: freeTimes(working, busy, durationMs).slice(0, timesMax),
      };
    },
  }),
);

const tooMany = invalidField(
  'to',
  `plus de ${candidatesMax} événements, ou trop longs ; réduisez la période`,
  `more than ${candidatesMax} events, or too long ones: narrow the window`,
);
