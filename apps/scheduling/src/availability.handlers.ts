import { availableTimes, invalidField, timesMax } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { candidatesMax, Expansion, listEvents } from './events/index.js';
import { memberBehind } from './me.js';
import { freeTimes, joined, workingTimes } from './free-times.js';

/** When a member is busy and free, by the calendars that they may see. */
export const AvailabilityHandlers = handlers(availableTimes, [Expansion], (expansion) => ({
  find: async (context, { from, to, durationMs, timeZone = 'UTC', workingHours }) => {
    const window = { fromMs: from, toMs: to };
    const query = { ...window, calendarId: null, reminding: false, max: candidatesMax + 1 };
    const found = await listEvents(context, memberBehind(context.caller), query);
    // Free times computed from a part of the events would be wrong.
    if (found.length > candidatesMax) throw tooMany;
    const task = { events: found, ...window, max: timesMax };
    const busy = joined(await expansion.busy(context.tenantId, task), from, to);
    const working = workingTimes(workingHours, timeZone, { from, to });
    return {
      busy: busy.slice(0, timesMax),
      free: freeTimes(working, busy, durationMs).slice(0, timesMax),
    };
  },
}));

const tooMany = invalidField(
  'to',
  `plus de ${candidatesMax} événements ; réduisez la période`,
  `more than ${candidatesMax} events: narrow the window`,
);
