import { memberOf } from '@postroom/access';
import { handlers, type ReadTarget, type VisibleContainers } from '@postroom/operations';
import { calendars, calendarsMax, newId, Problem } from '@postroom/contracts';
import { deleteEventsOf } from './events/index.js';
import { memberBehind } from './me.js';
import {
  countCalendars,
  findCalendar,
  insertCalendar,
  listCalendars,
  lockCalendar,
  removeCalendar,
} from './stored-calendars.js';

/** A calendar in an approval is shown to those who will see it: all members, or its owner. */
const calendarTarget: ReadTarget = async (context, id) => {
  const view = await findCalendar(context, id);
  const { id: memberId } = memberBehind(context.caller);
  const within = view?.scope === 'shared' ? null : ({ type: 'member', id: memberId } as const);
  return view && { type: 'calendar', id, version: 1, title: view.name, view, within };
};

/** Calendars that the caller's member may see. */
export const CalendarsHandlers = handlers(
  calendars,
  {
    list: async (context) => {
      const member = memberBehind(context.caller);
      return {
        calendars: await listCalendars(context, member, calendarsMax),
        me: member.email,
      };
    },

    create: async (context, { name, scope, color = null }) => {
      const member = memberBehind(context.caller);
      if (scope === 'shared' && !member.isAdmin) throw new Problem('CALENDAR_SCOPE_FORBIDDEN');
      if ((await countCalendars(context, member)) >= calendarsMax)
        throw new Problem('TOO_MANY_CALENDARS');
      const id = newId('cal');
      context.subject(id);
      await insertCalendar(context, member, { id, name: name.trim(), color, scope });
      const calendar = await findCalendar(context, id);
      if (!calendar) throw new Error(`calendar ${id} vanished within its transaction`);
      return { calendar };
    },

    remove: async (context, { id }) => {
      await lockCalendar(context, memberBehind(context.caller), id);
      const deletedEvents = await deleteEventsOf(context, id);
      await removeCalendar(context, id);
      return { ok: true, deletedEvents };
    },
  },
  { target: calendarTarget },
);

/** The calendars that are shared, or the member's own; also deleted ones that were. */
export const visibleCalendars: VisibleContainers = async ({ entities, caller }, containers) => {
  const named = containers.filter(({ type }) => type === 'calendar').map(({ id }) => id);
  const found = await entities((manager) =>
    manager.query<{ id: string }[]>(
      `SELECT c.id FROM (SELECT id, scope, owner_id FROM calendars
         UNION ALL SELECT id, scope, owner_id FROM deleted_calendars) c
       WHERE c.id = ANY ($1) AND (c.scope = 'shared' OR c.owner_id = $2)`,
      [named, memberOf(caller)],
    ),
  );
  return found.map(({ id }) => ({ type: 'calendar', id }));
};
