import { tidyLines } from './calendar-text.js';
import { parseComponent, Unreadable, type Component } from './jcal.js';
import { ZoneDefinition } from './zone-definition.js';

/** The zones of a file: the name of that of times without one, and the definitions that can be read. */
interface ZonesOfFile {
  readonly floating: string;
  readonly components: () => readonly Component[];
}

/** Reads what a file has of zones: a definition is a text from its beginning to the next end of one. */
export function zonesIn(text: string): ZonesOfFile {
  const definitions: string[] = [];
  let floating = '';
  let begun: string[] | null = null;
  for (const line of tidyLines(text)) {
    if (/^X-WR-TIMEZONE[;:]/i.test(line)) floating ||= line.slice(line.indexOf(':') + 1).trim();
    if (/^BEGIN:VTIMEZONE$/i.test(line)) begun ??= [];
    begun?.push(line);
    if (!begun || !/^END:VTIMEZONE$/i.test(line)) continue;
    definitions.push(begun.join('\n'));
    begun = null;
  }
  return { floating, components: () => definitions.flatMap(componentIn) };
}

function componentIn(text: string): readonly Component[] {
  try {
    return [parseComponent(text)];
  } catch (error) {
    if (error instanceof Unreadable) return [];
    throw error;
  }
}

/** A definition, or why it cannot be read. */
export function definitionOf(zone: Component): ZoneDefinition | Unreadable {
  try {
    return ZoneDefinition.of(zone);
  } catch (error) {
    if (error instanceof Unreadable) return error;
    throw error;
  }
}

/** True if the rules of a definition can be followed, which is tried once it is used. */
export function isSound(zone: ZoneDefinition): boolean {
  try {
    zone.offsetAt(0);
    return true;
  } catch (error) {
    if (error instanceof Unreadable) return false;
    throw error;
  }
}
