import { afterAll, describe, expect, it } from '@jest/globals';
import { newId, readRecurrence, type RecurrenceRule } from '@postroom/contracts';
import { longestTurn } from '@postroom/testing';
import { emptyEvent } from './event-record.js';
import { Expansion } from './expansion.js';
import type { ExpandedWindow, SpannedEvent } from './occurrences.js';

const dayMs = 86_400_000;
const startMs = Date.parse('2026-03-27T08:00:00Z');

const ruleOf = (rrule: string): RecurrenceRule => {
  const { rule } = readRecurrence({ rrule }, 'recurrence', 'Europe/Paris');
  if (!rule) throw new Error(`unreadable: ${rrule}`);
  return rule;
};

const series = (count: number, rrule: string): SpannedEvent[] =>
  Array.from({ length: count }, () => ({
    ...emptyEvent,
    ...{ id: newId('evt'), calendarId: newId('cal'), uid: 'x', recurrence: ruleOf(rrule) },
    ...{ startMs, endMs: startMs + 3_600_000, lastStartMs: null, version: 1, sequence: 1 },
    ...{ createdBy: { type: 'member', id: newId('mbr') } as const },
    ...{ createdAt: new Date(), updatedAt: new Date() },
  }));

describe('the window of a calendar of a thousand series that have no occurrence in it', () => {
  const expansion = new Expansion();
  afterAll(() => expansion.onModuleDestroy());

  const windowOf = (tenantId: string, found: readonly SpannedEvent[], days: number) => {
    const fromMs = startMs + 400 * dayMs;
    const window = { fromMs, toMs: fromMs + days * dayMs, nowMs: startMs, shownMax: 100 };
    return expansion.window(tenantId, { found, reminding: [], ...window });
  };

  /** A window, asked for until it is served: on a busy machine a thread that was ended starts slowly again. */
  async function served(found: readonly SpannedEvent[]): Promise<ExpandedWindow> {
    for (;;) {
      const window = await windowOf('ten_other', found, 30).catch(() => null);
      if (window) return window;
    }
  }

  it('is expanded in a thread, where the windows of other workspaces take turns with it', async () => {
    const never = series(1_000, 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31');
    const turns = longestTurn();
    let isServed = false;
    const attack = async (): Promise<void> => {
      while (!isServed)
        await windowOf('ten_attacker', never, 36_500).catch((error: unknown) => {
          expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
        });
    };
    const attacks = Array.from({ length: 12 }, attack);
    // In the order of asking there would always be twelve attacks before it, and it would never be served.
    const window = await served(series(5, 'FREQ=WEEKLY'));
    isServed = true;
    expect(window.here).toHaveLength(5);
    await Promise.all(attacks);
    // On the thread that serves requests, one attack alone would take seconds.
    expect(turns.stop()).toBeLessThan(1_000);
  });
});
