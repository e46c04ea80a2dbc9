import { useDocumentTitle } from '@mantine/hooks';
import type { CalendarEvent, EventRead } from '@postroom/contracts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { Temporal } from 'temporal-polyfill';
import { useAccount } from '../api/account.js';
import { api } from '../api/api.js';
import { useShortcuts } from '../shell/shortcuts.js';
import { offerUndo, tellDone, tellFailure } from '../ui/notices.js';
import { ErrorState } from '../ui/states.js';
import { browserZone } from '../ui/time.js';
import { CalendarSide } from './calendar-side.js';
import { CalendarToolbar } from './calendar-toolbar.js';
import { EventDrawer, type OpenEvent } from './event-form.js';
import { EventGrid } from './event-grid.js';
import { eventsQuery, happeningsOf, useEventsLive, type Happening } from './event-query.js';
import { moveEvent, type Times } from './moving.js';
import { ScopeDialog, type Scope } from './scope-dialog.js';
import type { CalendarSearch, CalendarView } from './search-params.js';
import { useHiddenCalendars } from './calendars.js';

const dayMs = 86_400_000;

/** The calendars of the workspace and the member's own, by month, week, day, or as an agenda. */
export function CalendarPage(): ReactElement {
  useDocumentTitle('Calendar – Postroom');
  const { calendars, workspace } = useAccount();
  const place = usePlace();
  const [hidden, toggleHidden] = useHiddenCalendars();
  const [shown, setShown] = useState<{ from: number; to: number; title: string } | null>(null);
  const [zone, setZone] = useState(browserZone);
  const opening = useOpening(place.search);
  const moving = useMoving();
  useEventsLive();
  // Whole days of far zones begin up to a day before or after.
  const { data, error, refetch } = useQuery({
    ...eventsQuery((shown?.from ?? 0) - dayMs, (shown?.to ?? 0) + dayMs),
    enabled: shown !== null,
  });
  const happenings = data
    ? happeningsOf(data).filter(({ event }) => !hidden.includes(event.calendarId))
    : [];
  const planNow = (): void => opening.plan(nextHour(place.on, zone));
  useCalendarKeys(place, planNow);
  return (
    <div className="calendar-page">
      <CalendarSide {...{ calendars, hidden, onToggle: toggleHidden }} />
      <div className="calendar-main">
        <CalendarToolbar
          {...{ title: shown?.title ?? '', view: place.view, zone, onZone: setZone }}
          {...{ onStep: place.step, onView: place.look, onNew: planNow }}
          zones={[...new Set([browserZone, workspace.timeZone])]}
        />
        {error && <ErrorState error={error} onRetry={() => void refetch()} />}
        <EventGrid
          key={zone}
          {...{ view: place.view, on: place.on, zone, happenings, calendars }}
          {...{ onOpen: opening.open, onPlan: opening.plan, onMove: moving.move }}
          onWindow={(from, to, title) => setShown({ from, to, title })}
        />
      </div>
      {moving.dialog}
      {opening.shown && <EventDrawer {...{ of: opening.shown, onClose: opening.close }} />}
    </div>
  );
}

/** The view and the day in the address. */
function usePlace() {
  const search: CalendarSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const view = search.view ?? (matchMedia('(max-width: 48em)').matches ? 'agenda' : 'month');
  const today = Temporal.Now.plainDateISO(browserZone).toString();
  const on = search.on ?? today;
  const go = (changed: CalendarSearch): void =>
    void navigate({ to: '/calendar', search: { view, on, ...changed } });
  const unit = { month: 'months', week: 'weeks', day: 'days', agenda: 'months' }[view];
  return {
    ...{ view, on, search },
    look: (to: CalendarView) => go({ view: to }),
    step: (by: -1 | 0 | 1) =>
      go({
        on:
          by === 0
            ? today
            : Temporal.PlainDate.from(on)
                .add({ [unit]: by })
                .toString(),
      }),
  };
}

function useCalendarKeys(place: ReturnType<typeof usePlace>, onNew: () => void): void {
  useShortcuts([
    { keys: 'n', label: 'New event', run: onNew },
    { keys: 't', label: 'Today', run: () => place.step(0) },
    { keys: 'j', label: 'The time after', run: () => place.step(1) },
    { keys: 'k', label: 'The time before', run: () => place.step(-1) },
    { keys: 'm', label: 'By month', run: () => place.look('month') },
    { keys: 'w', label: 'By week', run: () => place.look('week') },
    { keys: 'd', label: 'By day', run: () => place.look('day') },
    { keys: 'a', label: 'As an agenda', run: () => place.look('agenda') },
  ]);
}

function nextHour(on: string, zone: string): Times {
  const now = Temporal.Now.zonedDateTimeISO(zone);
  const day = Temporal.PlainDate.from(on);
  const isToday = day.equals(now.toPlainDate());
  const hour = Temporal.PlainTime.from({ hour: isToday ? Math.min(now.hour + 1, 22) : 9 });
  const start = day.toZonedDateTime({ timeZone: zone, plainTime: hour }).epochMilliseconds;
  return { startMs: start, endMs: start + 3_600_000, allDay: false };
}

/** The event or the plan that is open, also when the address names it. */
function useOpening({ event: named, new: about }: CalendarSearch) {
  const [shown, setShown] = useState<OpenEvent | null>(null);
  const navigate = useNavigate();
  const isOpen = shown !== null;
  const { data } = useQuery({
    queryKey: ['events', 'one', named],
    queryFn: () => api.get<EventRead>(`/v1/calendar-events/${named ?? ''}`),
    enabled: named !== undefined && !isOpen,
  });
  const close = (): void => {
    setShown(null);
    if (named !== undefined || about !== undefined)
      void navigate({
        to: '/calendar',
        search: ({ event: _, new: __, ...rest }: CalendarSearch) => rest,
      });
  };
  const open = (happening: Happening): void => setShown({ happening });
  const plan = (times: Times): void =>
    setShown({ times, ...(about !== undefined && { threadId: about }) });
  const today = Temporal.Now.plainDateISO(browserZone).toString();
  const ofAddress: OpenEvent | null = data
    ? { happening: wholeOf(data.event) }
    : about === undefined
      ? null
      : { times: nextHour(today, browserZone), threadId: about };
  return { shown: shown ?? ofAddress, open, plan, close };
}

const wholeOf = (event: CalendarEvent): Happening => ({
  ...{ event, occurrenceStartMs: event.startMs, startMs: event.startMs, endMs: event.endMs },
});

/** Moves what was dragged, after the question which of a series it is for. */
function useMoving() {
  const client = useQueryClient();
  const [asked, setAsked] = useState<{
    happening: Happening;
    to: Times;
    back: () => void;
  } | null>(null);
  const fresh = (): Promise<void> => client.invalidateQueries({ queryKey: ['events'] });
  const store = async (
    happening: Happening,
    to: Times,
    back: () => void,
    scope: Scope | null,
  ): Promise<void> => {
    setAsked(null);
    try {
      const undo = await moveEvent(happening, to, scope);
      const done = `“${happening.event.title}” was moved.`;
      if (undo) offerUndo(done, () => void undo().catch(tellFailure).then(fresh));
      else tellDone(done);
    } catch (error) {
      back();
      tellFailure(error);
    }
    await fresh();
  };
  const move = (happening: Happening, to: Times, back: () => void): void => {
    if (happening.event.recurrence) setAsked({ happening, to, back });
    else void store(happening, to, back, null);
  };
  const dialog = asked && (
    <ScopeDialog
      title={`Move “${asked.happening.event.title}”`}
      onChoose={(scope) => void store(asked.happening, asked.to, asked.back, scope)}
      onClose={() => {
        asked.back();
        setAsked(null);
      }}
    />
  );
  return { move, dialog };
}
