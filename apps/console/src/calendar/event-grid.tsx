import '@fullcalendar/react/skeleton.css';
import '@fullcalendar/react/themes/classic/theme.css';
import './calendar.css';
import FullCalendar, { type CalendarRef, type EventInput } from '@fullcalendar/react';
import dayGrid from '@fullcalendar/react/daygrid';
import interaction from '@fullcalendar/react/interaction';
import list from '@fullcalendar/react/list';
import classicTheme from '@fullcalendar/react/themes/classic';
import timeGrid from '@fullcalendar/react/timegrid';
import type { Calendar } from '@postroom/contracts';
import { useEffect, useRef, type ReactElement } from 'react';
import { Temporal } from 'temporal-polyfill';
import { colourOf, textOn } from './calendars.js';
import type { Happening } from './event-query.js';
import { droppedTimes, momentOf, type Times } from './moving.js';
import type { CalendarView } from './search-params.js';
import { zonedOf } from './zoned.js';

const viewNames: Readonly<Record<CalendarView, string>> = {
  ...{ month: 'dayGridMonth', week: 'timeGridWeek', day: 'timeGridDay', agenda: 'listMonth' },
};
const plugins = [dayGrid, timeGrid, list, interaction, classicTheme];

interface GridProps {
  readonly view: CalendarView;
  readonly on: string;
  /** The zone of the grid's clocks. */
  readonly zone: string;
  readonly happenings: readonly Happening[];
  readonly calendars: readonly Calendar[];
  readonly onWindow: (fromMs: number, toMs: number, title: string) => void;
  readonly onOpen: (happening: Happening) => void;
  readonly onPlan: (times: Times) => void;
  /** Resolves to false when the move did not take place. */
  readonly onMove: (happening: Happening, to: Times, back: () => void) => void;
}

/** The calendar itself: FullCalendar without its toolbar, which is ours. */
export function EventGrid(props: GridProps): ReactElement {
  const { view, on, zone, happenings, calendars } = props;
  const calendar = useRef<CalendarRef>(null);
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const api = calendar.current?.getApi();
    // FullCalendar renders within its own update, which React would do within ours.
    queueMicrotask(() => api?.changeView(viewNames[view], on));
  }, [view, on]);
  useScrollByKeys(frame, view);
  const found = (id: string): Happening | undefined =>
    happenings.find((happening) => idOf(happening) === id);
  return (
    <div className="calendar-grid" ref={frame}>
      <FullCalendar
        {...{ ref: calendar, plugins, headerToolbar: false, timeZone: zone, height: '100%' }}
        {...{ initialView: viewNames[view], initialDate: on, firstDay: 1, nowIndicator: true }}
        {...{ selectable: true, selectMirror: true, editable: true, dayMaxEvents: true }}
        {...{ eventInteractive: true, scrollTime: anHourAgo(zone), longPressDelay: 400 }}
        {...{ displayEventEnd: false, eventDidMount: ({ el, event }) => (el.title = event.title) }}
        views={{
          timeGridWeek: { titleFormat: daysTitle },
          timeGridDay: { titleFormat: daysTitle },
        }}
        eventTimeFormat={{ hour: '2-digit', minute: '2-digit', hour12: false }}
        slotHeaderFormat={{ hour: '2-digit', minute: '2-digit', hour12: false }}
        events={happenings.map((happening) => inputOf(happening, calendars))}
        datesSet={({ startStr, endStr, view: { title } }) =>
          props.onWindow(momentOf(startStr, zone), momentOf(endStr, zone), title)
        }
        eventClick={({ event, jsEvent }) => {
          jsEvent.preventDefault();
          const happening = found(event.id);
          if (happening) props.onOpen(happening);
        }}
        select={({ startStr, endStr, allDay }) =>
          props.onPlan({ startMs: momentOf(startStr, zone), endMs: momentOf(endStr, zone), allDay })
        }
        eventDrop={({ event, revert }) => {
          const happening = found(event.id);
          if (happening) props.onMove(happening, droppedTimes(event, happening, zone), revert);
        }}
        eventResize={({ event, revert }) => {
          const happening = found(event.id);
          if (happening) props.onMove(happening, droppedTimes(event, happening, zone), revert);
        }}
      />
    </div>
  );
}

const daysTitle = { day: 'numeric', month: 'long', year: 'numeric' } as const;

/** Weeks and days open at what is now. */
const anHourAgo = (zone: string): string => {
  const { hour } = Temporal.Now.zonedDateTimeISO(zone);
  return `${String(Math.max(0, hour - 1)).padStart(2, '0')}:00:00`;
};

const idOf = ({ event, occurrenceStartMs }: Happening): string =>
  `${event.id}/${occurrenceStartMs}`;

function inputOf(happening: Happening, calendars: readonly Calendar[]): EventInput {
  const { event, startMs, endMs } = happening;
  const place = calendars.findIndex(({ id }) => id === event.calendarId);
  const color = colourOf(calendars[place], place);
  // Whole days are the same days wherever they are looked at.
  const at = (ms: number): string =>
    event.allDay
      ? zonedOf(ms, event.timeZone).toPlainDate().toString()
      : new Date(ms).toISOString();
  return {
    ...{ id: idOf(happening), title: event.title, allDay: event.allDay },
    ...{ start: at(startMs), end: at(endMs), color, contrastColor: textOn(color) },
  };
}

/** A part of a table stays one. */
function giveFocus(scrolled: HTMLElement): void {
  const rows = scrolled.closest('[role="rowgroup"]');
  scrolled.tabIndex = 0;
  scrolled.setAttribute('role', rows ? 'rowgroup' : 'region');
  scrolled.setAttribute('aria-label', 'Times of the calendar');
  rows?.removeAttribute('role');
}

/** Lets keys scroll what scrolls: FullCalendar gives its scroll areas no focus (WCAG 2.2, 2.1.1). */
function useScrollByKeys(frame: { readonly current: HTMLElement | null }, view: string): void {
  useEffect(() => {
    const mend = (): void => {
      for (const one of frame.current?.querySelectorAll<HTMLElement>('div') ?? []) {
        const { overflowY } = getComputedStyle(one);
        const isScrolled = /auto|scroll/.test(overflowY) && one.scrollHeight > one.clientHeight;
        if (isScrolled && one.tabIndex < 0) giveFocus(one);
      }
    };
    let isDue = false;
    const mendSoon = (): void => {
      if (isDue) return;
      isDue = true;
      requestAnimationFrame(() => {
        isDue = false;
        mend();
      });
    };
    mendSoon();
    const observer = new MutationObserver(mendSoon);
    if (frame.current) observer.observe(frame.current, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [frame, view]);
}
