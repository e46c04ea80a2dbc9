import { WINDOWS_TO_IANA_MAP } from 'windows-iana';
import { isTimeZone, momentOf, wallClock } from '@postroom/contracts';
import {
  isKnownZone,
  oneOf,
  parseComponent,
  textIn,
  Unreadable,
  type Component,
  type Property,
} from './jcal.js';
import { comparedYear, offsetAt, ZoneDefinition, type Clocks } from './zone-definition.js';

/** Years ahead for which the clocks of a series are compared, unless it ends earlier. */
const yearsAhead = 5;
/**
 * Looks at the clocks of known zones that the zones of one file may cost, each some microseconds: a series of sixty
 * years takes three thousand.
 */
const looksMax = 30_000;
/** Zones of a file that count. */
const zonesMax = 100;
const weekMs = 7 * 86_400_000;

/** Cities that stand for the zones of Windows, and then every zone: of several that fit the first is taken. */
const candidates = [
  ...WINDOWS_TO_IANA_MAP.filter(({ territory }) => territory === '001').flatMap(({ iana }) => iana),
  ...Intl.supportedValuesOf('timeZone'),
];

/** The texts from the beginning of a definition to the next end of one, each line looked at once. */
function* definitionsIn(text: string): Generator<string, void> {
  let begun: number | null = null;
  for (const { 0: line, index } of text.matchAll(/^(?:BEGIN|END):VTIMEZONE[ \t]*$/gim)) {
    if (/^B/i.test(line)) begun ??= index;
    else if (begun !== null) {
      yield text.slice(begun, index + line.length);
      begun = null;
    }
  }
}

/** The time zones that a calendar file defines itself. */
export class FileZones {
  private readonly definitions = new Map<string, ZoneDefinition | Unreadable>();
  private readonly mapped = new Map<string, Mapped[]>();
  private looksLeft = looksMax;

  constructor(private readonly components: () => readonly Component[]) {}

  /** Reads definitions that follow each other in a text; unreadable ones are left out. */
  static in(text: string): FileZones {
    return new FileZones(() =>
      [...definitionsIn(text)].flatMap((one) => {
        try {
          return [parseComponent(one)];
        } catch (error) {
          if (error instanceof Unreadable) return [];
          throw error;
        }
      }),
    );
  }

  /**
   * An event by zones that everybody knows: where clocks of a zone of the file go as those of a known one, it is
   * in that. Times of any other zone become moments, which is enough for what happens once.
   * @throws Unreadable for a series by the clocks of a zone that only the file knows
   */
  settle(event: Component): Component {
    const [name, properties, components] = event;
    const years = yearsOf(event);
    const settled = properties.map((property) => this.settleTimes(property, years));
    return [name, settled, components];
  }

  private settleTimes(property: Property, years: Years): Property {
    const [name, { tzid, ...parameters }, type, ...values] = property;
    if (type !== 'date-time' || typeof tzid !== 'string' || isKnownZone(tzid)) return property;
    const zone = this.find(tzid);
    if (!zone) return property;
    const known = this.knownAs(tzid, zone, years);
    if (known !== null && values.every((value) => isSameMoment(value, zone, known)))
      return [name, { ...parameters, tzid: known }, type, ...values];
    if (years.isSeries)
      throw new Unreadable(`a series by the clocks of a zone like no other: ${tzid.slice(0, 60)}`);
    return [name, parameters, type, ...values.map((value) => momentText(zone, value))];
  }

  private find(tzid: string): ZoneDefinition | null {
    if (this.definitions.size === 0)
      for (const one of this.components().slice(0, zonesMax)) {
        const name = textIn(one, 'tzid');
        if (!this.definitions.has(name)) this.definitions.set(name, definitionOf(one));
      }
    const found = this.definitions.get(tzid) ?? null;
    if (found instanceof Unreadable) throw found;
    return found;
  }

  private knownAs(tzid: string, zone: ZoneDefinition, { from, to }: Years): string | null {
    const mapped = this.mapped.get(tzid) ?? [];
    this.mapped.set(tzid, mapped);
    const known = mapped.find((one) =>
      one.name === null ? one.from === from && one.to === to : one.from <= from && one.to >= to,
    );
    if (known) return known.name;
    const name = this.search(zone, from, to);
    mapped.push({ from, to, name });
    return name;
  }

  /** A zone of the runtime whose clocks show the same throughout some years; null where there is none. */
  private search(zone: ZoneDefinition, from: number, to: number): string | null {
    const clocks = zone.clocksOf(from, to);
    const toMs = Date.UTC(to + 1, 0);
    const own = isTimeZone(zone.hint) ? [zone.hint] : [];
    return [...own, ...candidates].find((name) => this.agrees(name, clocks, toMs)) ?? null;
  }

  /**
   * Each change is at the same moment, and no week has another offset, in which one of the zone's own lay. No zone
   * agrees once all looks are used up.
   */
  private agrees(name: string, clocks: Clocks, toMs: number): boolean {
    const shows = (ms: number, offsetMs: number): boolean =>
      this.looksLeft-- > 0 && wallClock(ms, name) - ms === offsetMs;
    for (const { atMs, beforeMs, afterMs } of clocks.changes)
      if (!shows(atMs, afterMs) || (atMs > clocks.fromMs && !shows(atMs - 1000, beforeMs)))
        return false;
    for (let ms = clocks.fromMs; ms < toMs; ms += weekMs)
      if (!shows(ms, offsetAt(clocks, ms))) return false;
    return true;
  }
}

/** The match found for a zone of the file in some years. */
interface Mapped {
  readonly from: number;
  readonly to: number;
  /** Null where no known zone has its clocks. */
  readonly name: string | null;
}

function definitionOf(zone: Component): ZoneDefinition | Unreadable {
  try {
    return ZoneDefinition.of(zone);
  } catch (error) {
    if (error instanceof Unreadable) return error;
    throw error;
  }
}

interface Years {
  readonly from: number;
  readonly to: number;
  readonly isSeries: boolean;
}

/** The years in which an event takes place, as far as its clocks are compared. */
function yearsOf(event: Component): Years {
  const start = comparedYear(Number(textIn(event, 'dtstart').slice(0, 4)) || 1970);
  const rule = oneOf(event, 'rrule')?.[3] as Readonly<Record<string, unknown>> | undefined;
  const { until } = rule ?? {};
  const last = typeof until === 'string' ? Number(until.slice(0, 4)) : Number.NaN;
  const ahead = Math.max(start, new Date().getUTCFullYear()) + yearsAhead;
  return {
    from: start,
    to: rule ? Math.min(last || ahead, ahead) : start,
    isSeries: rule !== undefined,
  };
}

/** True if a local time of a zone is the same moment by the clocks of a known one. */
function isSameMoment(value: unknown, zone: ZoneDefinition, known: string): boolean {
  const wallMs = Date.parse(`${String(value)}Z`);
  return Number.isNaN(wallMs) || zone.momentOf(wallMs) === momentOf(wallMs, known);
}

/** A local time of a zone as UTC; an invalid time stays, and is refused when it is read. */
function momentText(zone: ZoneDefinition, value: unknown): unknown {
  const wallMs = Date.parse(`${String(value)}Z`);
  if (Number.isNaN(wallMs)) return value;
  return `${new Date(zone.momentOf(wallMs)).toISOString().slice(0, 19)}Z`;
}
