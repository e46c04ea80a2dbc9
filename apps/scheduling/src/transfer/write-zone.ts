import { wallClock } from '@postroom/contracts';

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
    lines.push(...observance(changeBetween(at, at + stepMs, zone), beforeMs, afterMs));
    beforeMs = afterMs;
  }
  return [...lines, 'END:VTIMEZONE', ''].join('\r\n');
}

/** When the clocks change, to the second. */
function changeBetween(fromMs: number, toMs: number, zone: string): number {
  let [low, high] = [Math.floor(fromMs / 1000), Math.floor(toMs / 1000)];
  const before = offsetAt(low * 1000, zone);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle * 1000, zone) === before) low = middle;
    else high = middle;
  }
  return high * 1000;
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
