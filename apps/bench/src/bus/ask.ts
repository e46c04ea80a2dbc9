import { setTimeout as sleep } from 'node:timers/promises';
import type { Calling } from '../carriers/carrier.js';
import { quantile } from '../quartiles.js';
import { requestOf, requireReplyTo } from './messages.js';
import type { Scenario } from './scenarios.js';

/** The measurements of a caller in one slice of time. */
export interface Slice {
  readonly replies: number;
  readonly perSecond: number;
  /** From when a request was due, so that queueing behind a slow one counts. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** From when it was sent, which the timer of a fixed rate delays. */
  readonly p50FromSendMs: number;
}

interface Times {
  readonly fromDue: number[];
  readonly fromSend: number[];
}

/** Sends a scenario's requests for a time and awaits every reply. @throws Error for a lost reply */
export async function ask(calling: Calling, scenario: Scenario, ms: number): Promise<Slice> {
  const { load, handlerMs } = scenario;
  const times: Times = { fromDue: [], fromSend: [] };
  let number = 0;
  const one = async (dueMs: number): Promise<void> => {
    number += 1;
    const own = number;
    const sentMs = performance.now();
    requireReplyTo(own, await calling.ask(requestOf(own, handlerMs)));
    const now = performance.now();
    times.fromDue.push(now - dueMs);
    times.fromSend.push(now - sentMs);
  };
  const beganMs = performance.now();
  await ('inFlight' in load
    ? keepInFlight(load.inFlight, beganMs + ms, one)
    : keepPace(load.perSecond, beganMs, ms, one));
  return sliceOf(times, performance.now() - beganMs);
}

async function keepInFlight(
  count: number,
  untilMs: number,
  one: (dueMs: number) => Promise<void>,
): Promise<void> {
  const asker = async (): Promise<void> => {
    for (let now = performance.now(); now < untilMs; now = performance.now()) await one(now);
  };
  await Promise.all(Array.from({ length: count }, asker));
}

/** Sends what is due, each millisecond, the resolution of a timer. */
async function keepPace(
  perSecond: number,
  beganMs: number,
  ms: number,
  one: (dueMs: number) => Promise<void>,
): Promise<void> {
  const count = Math.round((ms * perSecond) / 1000);
  const asked: Promise<void>[] = [];
  while (asked.length < count) {
    const now = performance.now();
    for (let due = beganMs; asked.length < count && due <= now;) {
      due = beganMs + (asked.length * 1000) / perSecond;
      if (due <= now) asked.push(one(due));
    }
    await sleep(1);
  }
  await Promise.all(asked);
}

function sliceOf({ fromDue, fromSend }: Times, tookMs: number): Slice {
  const sorted = fromDue.toSorted((a, b) => a - b);
  return {
    replies: sorted.length,
    perSecond: (sorted.length * 1000) / tookMs,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    p50FromSendMs: quantile(
      fromSend.toSorted((a, b) => a - b),
      0.5,
    ),
  };
}
