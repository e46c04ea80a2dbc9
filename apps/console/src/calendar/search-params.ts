export const calendarViews = ['month', 'week', 'day', 'agenda'] as const;
export type CalendarView = (typeof calendarViews)[number];

/** The period and the event that are shown, in the address. */
export interface CalendarSearch {
  readonly view?: CalendarView;
  /** A day in the shown period, as `2027-03-28`; today where it is absent. */
  readonly on?: string;
  /** The event that is open. */
  readonly event?: string;
  /** The conversation that a new event is about. */
  readonly new?: string;
}

export function calendarSearchOf(given: Readonly<Record<string, unknown>>): CalendarSearch {
  const text = (name: string, pattern: RegExp): string | undefined =>
    typeof given[name] === 'string' && pattern.test(given[name]) ? given[name] : undefined;
  const found = {
    view: calendarViews.find((view) => view === given.view),
    on: text('on', /^\d{4}-\d\d-\d\d$/),
    event: text('event', /^evt_\w+$/),
    new: text('new', /^cnv_\w+$/),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}
