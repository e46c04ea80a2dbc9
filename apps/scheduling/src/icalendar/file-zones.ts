import { isTimeZone, wallClock } from '@postroom/contracts';
import { ruleProperty } from './calendar-text.js';
import { candidates, isLike, isSame, nearestTo } from './compared-zones.js';
import { oneOf, textIn, textOf, Unreadable, type Component, type Property } from './jcal.js';
import { clocksOfYear, isLookedUp } from './known-clocks.js';
import { inUtc, isSameMoment, shifted, startOf, wallOf } from './local-times.js';
import { comparedYear, ZoneDefinition, type Clocks } from './zone-definition.js';
import { definitionOf, isSound, zonesIn } from './zone-texts.js';
import { offsetNamed, zoneNamed } from './zone-names.js';

/** Years ahead for which the clocks of a series are compared, unless it ends earlier. */
const yearsAhead = 5;
/** Looks at known zones that one file may cost; no zone agrees once they are used up. */
const looksMax = { zones: 4_000, years: 600, nearest: 20 } as const;
/** Zones of a file that count. */
const zonesMax = 100;

/** An event in IANA zones, and what was changed in it for that. */
export interface SettledEvent {
  readonly event: Component;
  readonly warnings: readonly string[];
}

/** The time zones of a calendar file: those that it defines, those that it names, and that of times without one. */
export class FileZones {
  private readonly definitions = new Map<string, ZoneDefinition | Unreadable>();
  private readonly mapped = new Map<ZoneDefinition, Mapped[]>();
  private readonly left = { ...looksMax };

  /** @param floating IANA; null where a time without a zone, or in an unknown one, cannot be read */
  constructor(
    private readonly components: () => readonly Component[],
    private readonly floating: string | null,
  ) {}

  /**
   * Reads what a file has of zones; unreadable definitions are left out.
   * @param otherwise the zone (IANA) of times without one, where the file names none
   */
  static in(text: string, otherwise = 'UTC'): FileZones {
    const { floating, components } = zonesIn(text);
    return new FileZones(components, zoneNamed(floating) ?? otherwise);
  }

  /**
   * An event in IANA zones. A zone that the file defines is what the definition says: the known one
   * whose clocks go as those. Where none does, what happens once is in UTC, and a series in the nearest zone.
   * @throws Unreadable where floating times cannot be read
   */
  settle(event: Component): SettledEvent {
    const [name, properties, components] = event;
    const warnings = new Set<string>();
    const years = yearsOf(event);
    const start = oneOf(event, 'dtstart');
    const settled = properties.map((property) =>
      this.settleTimes(property, { years, start, warnings }),
    );
    return { event: [name, settled, components], warnings: [...warnings] };
  }

  private settleTimes(property: Property, settling: Settling): Property {
    const [name, { tzid, ...parameters }, type, ...values] = property;
    if (type !== 'date-time' && type !== 'period') return property;
    if (typeof tzid === 'string') return this.byName(property, tzid, settling);
    if (values.every((one) => startOf(one).endsWith('Z'))) return property;
    if (this.floating === null) throw new Unreadable('a time in no zone');
    return [name, { ...parameters, tzid: this.floating, floating: true }, type, ...values];
  }

  private byName(property: Property, tzid: string, settling: Settling): Property {
    const [name, parameters, type, ...values] = property;
    const zone = this.find(tzid);
    if (zone instanceof ZoneDefinition) return this.byDefinition(property, zone, settling);
    const unknown = `an unknown time zone: ${tzid.slice(0, 60)}`;
    if (zone === null && this.floating === null) throw new Unreadable(unknown);
    if (zone === null) settling.warnings.add(`${unknown}: read in ${this.floating}`);
    return [name, { ...parameters, tzid: zone ?? this.floating }, type, ...values];
  }

  /** The definition of a zone of the file, or the name of a known one; null where it is neither. */
  private find(tzid: string): ZoneDefinition | string | null {
    if (this.definitions.size === 0)
      for (const one of this.components().slice(0, zonesMax)) {
        const name = textIn(one, 'tzid');
        if (!this.definitions.has(name)) this.definitions.set(name, definitionOf(one));
      }
    const found = this.definitions.get(tzid);
    if (found instanceof ZoneDefinition && isSound(found)) return found;
    const named = zoneNamed(tzid);
    if (named !== null) return named;
    const offsetMs = offsetNamed(tzid);
    if (offsetMs === null || this.definitions.size > 2 * zonesMax) return null;
    const fixed = ZoneDefinition.fixed(offsetMs);
    this.definitions.set(tzid, fixed);
    return fixed;
  }

  private byDefinition(property: Property, zone: ZoneDefinition, settling: Settling): Property {
    const [name, { tzid, ...parameters }, type, ...values] = property;
    const { years, start, warnings } = settling;
    const hints = [zoneNamed(textOf(tzid)) ?? '', zone.hint].filter(isTimeZone);
    const known = this.knownAs(zone, hints, years);
    if (known !== null && values.every((one) => isSameMoment(startOf(one), zone, known)))
      return [name, { ...parameters, tzid: known }, type, ...values];
    if (!years.isSeries) return [name, parameters, type, ...values.map((one) => inUtc(one, zone))];
    const startWall = wallOf(startOf(start?.[3]));
    const nearest =
      this.left.nearest-- > 0 ? nearestTo(zone, startWall, hints) : (hints[0] ?? 'UTC');
    warnings.add(`a zone like no other: ${textOf(tzid).slice(0, 60)}, read as ${nearest}`);
    const byMs = wallClock(zone.momentOf(startWall), nearest) - startWall;
    const moved = values.map((one) => shifted(one, byMs));
    return [name, { ...parameters, tzid: nearest }, type, ...moved];
  }

  private knownAs(
    zone: ZoneDefinition,
    hints: readonly string[],
    { from, to }: Years,
  ): string | null {
    const mapped = this.mapped.get(zone) ?? [];
    this.mapped.set(zone, mapped);
    const known = mapped.find((one) =>
      one.name === null ? one.from === from && one.to === to : one.from <= from && one.to >= to,
    );
    if (known) return known.name;
    const years = Array.from({ length: to - from + 1 }, (_, i) => {
      const year = from + i;
      return { year, clocks: zone.clocksOf(year, year) };
    });
    const name = [...hints, ...candidates].find((one) => this.agrees(one, years)) ?? null;
    mapped.push({ from, to, name });
    return name;
  }

  /** True if the clocks of a zone of the runtime show the same throughout some years. */
  private agrees(name: string, years: readonly YearOfZone[]): boolean {
    return years.every(({ year, clocks }) => {
      if (!isLookedUp(name, year)) {
        if (this.left.zones-- <= 0 || !isLike(name, clocks, year)) return false;
        if (this.left.years-- <= 0) return false;
      }
      return isSame(clocks, clocksOfYear(name, year));
    });
  }
}

interface YearOfZone {
  readonly year: number;
  readonly clocks: Clocks;
}

/** The facts of an event by which its times are settled. */
interface Settling {
  readonly years: Years;
  readonly start: Property | undefined;
  readonly warnings: Set<string>;
}

/** The match found for a zone of the file in some years. */
interface Mapped {
  readonly from: number;
  readonly to: number;
  /** Null where no known zone has its clocks. */
  readonly name: string | null;
}

interface Years {
  readonly from: number;
  readonly to: number;
  readonly isSeries: boolean;
}

/** The years in which an event takes place, as far as its clocks are compared. */
function yearsOf(event: Component): Years {
  const start = comparedYear(Number(textIn(event, 'dtstart').slice(0, 4)) || 1970);
  const rule = textIn(event, ruleProperty);
  const last = Number(/UNTIL=(\d{4})/i.exec(rule)?.[1]);
  const ahead = Math.max(start, new Date().getUTCFullYear()) + yearsAhead;
  return {
    from: start,
    to: rule === '' ? start : Math.max(start, Math.min(last || ahead, ahead)),
    isSeries: rule !== '',
  };
}
