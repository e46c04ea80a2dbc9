import { momentOf } from '@postroom/contracts';
import { textOf } from './jcal.js';
import type { ZoneDefinition } from './zone-definition.js';

/** A value of a time, or the start of a period. */
export const startOf = (value: unknown): string => textOf(Array.isArray(value) ? value[0] : value);

/** A local time as if it were in UTC; NaN for none. */
export const wallOf = (value: string): number =>
  Date.parse(value.endsWith('Z') ? value : `${value}Z`);

/** True if a local time of a zone is the same moment by the clocks of a known one. */
export function isSameMoment(value: string, zone: ZoneDefinition, known: string): boolean {
  const wallMs = wallOf(value);
  if (Number.isNaN(wallMs) || value.endsWith('Z')) return true;
  return zone.momentOf(wallMs) === momentOf(wallMs, known);
}

/** A value with its local times changed; an invalid one stays, and is refused when it is read. */
function withTimes(value: unknown, change: (wallMs: number) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => withTimes(one, change));
  const text = textOf(value);
  const wallMs = wallOf(text);
  return Number.isNaN(wallMs) || text.endsWith('Z') ? value : change(wallMs);
}

const isoOf = (ms: number): string => new Date(ms).toISOString().slice(0, 19);
/** A value with its local times of a zone in UTC. */
export const inUtc = (value: unknown, zone: ZoneDefinition): unknown =>
  withTimes(value, (wallMs) => `${isoOf(zone.momentOf(wallMs))}Z`);
export const shifted = (value: unknown, byMs: number): unknown =>
  withTimes(value, (wallMs) => isoOf(wallMs + byMs));
