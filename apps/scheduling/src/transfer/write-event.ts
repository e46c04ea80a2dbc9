import {
  momentOf,
  rruleText,
  utcStamp,
  wallClock,
  type Attendee,
  type EventOverride,
  type Organizer,
} from '@postroom/contracts';
import ICAL from 'ical.js';
import { endsOf, timesOf, type StoredEvent } from '../events/index.js';

/** Controls, which would begin a property of their own; in a text a line end is escaped (RFC 5545 §3.3.11). */
const controls = /(?:(?!\n)[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069])+/gu;
const inert = (text: string): string => text.replaceAll(/\r\n?/g, '\n').replaceAll(controls, ' ');
const inertLine = (text: string): string => inert(text).replaceAll('\n', ' ');

interface Clocks {
  readonly zone: string;
  readonly areDays: boolean;
}

/** The properties of a component, in the order in which they are added. */
class Properties {
  readonly component: ICAL.Component;

  constructor(
    name: string,
    private readonly clocks: Clocks = { zone: 'UTC', areDays: false },
  ) {
    this.component = new ICAL.Component(name);
  }

  text(name: string, value: string): void {
    if (value !== '') this.add(name, 'text', inert(value));
  }

  /** An address or a link: a URI has no escapes. */
  uri(
    name: string,
    value: string,
    parameters: Readonly<Record<string, string | null>> = {},
    type: 'uri' | 'cal-address' = 'uri',
  ): void {
    const property = this.add(name, type, inertLine(value));
    for (const [parameter, said] of Object.entries(parameters))
      if (said !== null) property.setParameter(parameter, inertLine(said).replaceAll('"', "'"));
  }

  utc(name: string, ms: number): void {
    this.add(name, 'date-time', ICAL.Time.fromDateTimeString(isoOf(ms) + 'Z'));
  }

  /** A time by the clocks of the zone, or the day that they show. The second of a time that exists twice is in UTC. */
  time(name: string, ms: number, clocks = this.clocks): void {
    const { zone, areDays } = clocks;
    if (areDays) this.day(name, wallClock(ms, zone));
    else if (zone === 'UTC' || momentOf(wallClock(ms, zone), zone) !== ms) this.utc(name, ms);
    else this.local(name, ms, zone);
  }

  private local(name: string, ms: number, zone: string): void {
    const shown = isoOf(wallClock(ms, zone));
    const property = this.add(name, 'date-time', ICAL.Time.fromDateTimeString(shown));
    property.setParameter('tzid', zone);
  }

  private day(name: string, wallMs: number): void {
    this.add(name, 'date', ICAL.Time.fromDateString(isoOf(wallMs).slice(0, 10)));
  }

  /**
   * A time that ends within the second in which it starts takes none, and has no end (RFC 5545 §3.6.1); the end of
   * days is the day after the last.
   * @param isSeries a series begins by the clocks of its zone, which all of it goes by
   */
  span({ startMs, endMs }: Pick<StoredEvent, 'startMs' | 'endMs'>, isSeries: boolean): void {
    const { zone, areDays } = this.clocks;
    if (isSeries && !areDays && zone !== 'UTC') this.local('dtstart', startMs, zone);
    else this.time('dtstart', startMs);
    const endDay = Math.ceil(wallClock(endMs, zone) / dayMs) * dayMs;
    if (areDays) this.day('dtend', endDay);
    else if (isoOf(startMs) !== isoOf(endMs)) this.time('dtend', endMs);
  }

  add(name: string, type: string, value: unknown): ICAL.Property {
    const property = new ICAL.Property(name, this.component);
    property.resetType(type);
    property.setValue(value);
    this.component.addProperty(property);
    return property;
  }
}

const dayMs = 86_400_000;
const isoOf = (ms: number): string => new Date(ms).toISOString().slice(0, 19);

/** An event as VEVENT, and one more for each occurrence that is changed. */
export function writeEvent(event: StoredEvent): string {
  const own = propertiesOf(event);
  own.span(event, event.recurrence !== null);
  if (event.recurrence) {
    own.add('rrule', 'recur', ICAL.Recur.fromString(ruleOf(event)));
    for (const ms of event.recurrence.exceptMs) own.time('exdate', ms);
    for (const ms of event.recurrence.addedMs) own.time('rdate', ms);
  }
  for (const { minutes } of event.reminders)
    own.component.addSubcomponent(alarm(minutes, event.title));
  const changed = event.overrides.map((override) => {
    const { timeZone } = override;
    const recurrence = timeZone === undefined ? event.recurrence : null;
    const one = propertiesOf({ ...event, ...saidBy(override), recurrence });
    one.time('recurrence-id', override.occurrenceStartMs, clocksOf(event));
    one.span(timesOf(override, endsOf(event)), false);
    return one;
  });
  return [own, ...changed].map(({ component }) => `${component.toString()}\r\n`).join('');
}

/** The fields of an override but its times. */
const saidBy = ({ startMs: _, endMs: __, occurrenceStartMs: ___, ...said }: EventOverride) => said;

/** The clocks that an event goes by; of whole days the days alone are written, which no zone moves. */
const clocksOf = ({ allDay, timeZone, recurrence }: StoredEvent): Clocks => ({
  zone: recurrence?.timeZone ?? timeZone,
  areDays: allDay,
});

/** The end of a series of whole days is a day (RFC 5545 §3.3.10). */
function ruleOf({ recurrence, allDay }: StoredEvent): string {
  if (!recurrence) return '';
  const text = rruleText({ ...recurrence, untilMs: null });
  if (recurrence.untilMs === null) return text;
  const { untilMs, timeZone } = recurrence;
  const until = allDay ? utcStamp(wallClock(untilMs, timeZone)).slice(0, 8) : utcStamp(untilMs);
  return `${text};UNTIL=${until}`;
}

function propertiesOf(event: StoredEvent): Properties {
  const properties = new Properties('vevent', clocksOf(event));
  properties.text('uid', event.uid);
  properties.utc('dtstamp', event.updatedAt.getTime());
  properties.utc('created', event.createdAt.getTime());
  properties.utc('last-modified', event.updatedAt.getTime());
  properties.add('sequence', 'integer', event.version - 1);
  properties.text('summary', event.title);
  properties.text('description', event.description);
  properties.text('location', event.location);
  properties.text('status', event.status.toUpperCase());
  properties.text('transp', event.busy ? 'OPAQUE' : 'TRANSPARENT');
  if (event.visibility === 'private') properties.text('class', 'PRIVATE');
  const { organizer, attendees, conferenceLink } = event;
  if (organizer) person(properties, 'organizer', organizer);
  for (const one of attendees) person(properties, 'attendee', one, answerOf(one));
  if (conferenceLink) properties.uri('conference', conferenceLink);
  return properties;
}

const person = (
  properties: Properties,
  name: string,
  { email, name: cn }: Organizer,
  said: Readonly<Record<string, string>> = {},
): void => properties.uri(name, `mailto:${email}`, { cn: cn || null, ...said }, 'cal-address');

const roles: Readonly<Record<Attendee['role'], string>> = {
  chair: 'CHAIR',
  required: 'REQ-PARTICIPANT',
  optional: 'OPT-PARTICIPANT',
  informed: 'NON-PARTICIPANT',
};

const answerOf = ({ role, status }: Attendee): Record<string, string> => ({
  role: roles[role],
  partstat: status.toUpperCase().replace('_', '-'),
});

function alarm(minutes: number, title: string): ICAL.Component {
  const properties = new Properties('valarm');
  properties.text('action', 'DISPLAY');
  properties.text('description', title);
  properties.add('trigger', 'duration', ICAL.Duration.fromString(`-PT${minutes}M`));
  return properties.component;
}
