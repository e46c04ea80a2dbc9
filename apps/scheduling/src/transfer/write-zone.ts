import { wallClock } from '@postroom/contracts';
import { changeBetween } from '../icalendar/index.js';

const dayMs = 86_400_000;
/** Clocks are not looked at beyond: rules of zones change before. */
const aheadMs = 10 * 366 * dayMs;
/** No zone has changed its clocks twice within so short a time since 1970. */
const stepMs = 7 * dayMs;

const offsetAt = (ms: number, zone: string): number => wallClock(ms, zone) - ms;

/**
 * A zone as VTIMEZONE (RFC 5545 §3.6.5): what its clocks showed from a moment on, one change after the other.
 */
export function writeZone(zone: string, fromMs: number, nowMs = Date.now()): string {
  const lines = ['BEGIN:VTIMEZONE', `TZID:${zone}`];
  let beforeMs = offsetAt(fromMs - dayMs, zone);
  lines.push(...observance(fromMs - dayMs, beforeMs, beforeMs, false));
  const lastMs = Math.max(fromMs, nowMs) + aheadMs;
  for (let at = fromMs - dayMs; at < lastMs; at += stepMs) {
    const afterMs = offsetAt(at + stepMs, zone);
    if (afterMs === beforeMs) continue;
    lines.push(
      ...observance(
        changeBetween(at, at + stepMs, (ms) => offsetAt(ms, zone)),
        beforeMs,
        afterMs,
      ),
    );
    beforeMs = afterMs;
  }
  return [...lines, 'END:VTIMEZONE', ''].join('\r\n');
}

function observance(
  atMs: number,
  beforeMs: number,
  afterMs: number,
  isDaylight = afterMs > beforeMs,
): string[] {
  const name = isDaylight ? 'DAYLIGHT' : 'STANDARD';
  const start = new Date(atMs + beforeMs).toISOString().replaceAll(/[-:]/g, '').slice(0, 15);
  return [
    ...[`BEGIN:${name}`, `DTSTART:${start}`, `TZOFFSETFROM:${offsetText(beforeMs)}`],
    ...[`TZOFFSETTO:${offsetText(afterMs)}`, `END:${name}`],
  ];
}

function offsetText(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const rest = seconds % 60 === 0 ? '' : two(seconds % 60);
  return `${ms < 0 ? '-' : '+'}${two(seconds / 3600)}${two((seconds / 60) % 60)}${rest}`;
}
