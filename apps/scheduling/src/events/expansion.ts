import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Problem } from '@postroom/contracts';
import { FairThread, type TaskLimits } from '@postroom/service';
import { threadFile } from '@postroom/service/threads';
import { limits } from '../limits.js';
import { AskedSeries } from '../recurrence/index.js';
import {
  busyTimes,
  expandWindow,
  type BusyTask,
  type BusyTimes,
  type Expandable,
  type ExpandedWindow,
  type WindowTask,
} from './occurrences.js';
import type { ExpansionAnswer, ExpansionTask } from './expand.worker.js';

/**
 * Within what a request has. Thousands of series of a usual kind take two seconds; who has to wait twice for one that
 * takes too long, since a write may ask twice, has time for the start of the thread and for its own.
 */
const times = { wholeMs: 8_000, runMs: 3_000 };

/**
 * Expands series in a thread, since the cost depends on rules that clients have given. Workspaces take turns.
 * Events that do not repeat need no thread.
 */
@Injectable()
export class Expansion implements OnModuleDestroy {
  readonly #thread = new FairThread<ExpansionTask, ExpansionAnswer>({
    file: threadFile(import.meta.url, 'expand.worker'),
    limit: limits.expansions,
    memoryMaxMb: 128,
  });

  /** @throws Problem SERVICE_UNAVAILABLE when it takes too long, or too many wait */
  async window(tenantId: string, task: WindowTask): Promise<ExpandedWindow> {
    const [found, reminding] = [task.found.map(expandable), task.reminding.map(expandable)];
    if (![...found, ...reminding].some(isRepeating)) return expandWindow(task);
    return (await this.#expand(tenantId, { ...task, found, reminding })) as ExpandedWindow;
  }

  /** @throws Problem SERVICE_UNAVAILABLE when it takes too long, or too many wait */
  async busy(tenantId: string, task: BusyTask): Promise<BusyTimes> {
    const events = task.events.map(expandable);
    if (!events.some(isRepeating)) return busyTimes(task);
    return (await this.#expand(tenantId, { ...task, events })) as BusyTimes;
  }

  /**
   * Answers about series for one request. Computing throws Problem SERVICE_UNAVAILABLE when it takes too long, or
   * too many wait.
   * @param wholeMs how long all of its questions may take
   */
  asked(tenantId: string, wholeMs = times.wholeMs): AskedSeries {
    const untilMs = Date.now() + wholeMs;
    return new AskedSeries(async (question) => {
      const left = { wholeMs: Math.max(untilMs - Date.now(), 0), runMs: times.runMs };
      return (await this.#expand(tenantId, question, left)) as number | null;
    });
  }

  async #expand(
    tenantId: string,
    task: ExpansionTask,
    within: TaskLimits = times,
  ): Promise<ExpansionAnswer> {
    try {
      return await this.#thread.run(tenantId, task, within);
    } catch (cause) {
      throw new Problem('SERVICE_UNAVAILABLE', { cause });
    }
  }

  onModuleDestroy(): Promise<void> {
    return this.#thread.close();
  }
}

const isRepeating = ({ recurrence }: Expandable): boolean => recurrence !== null;

const expandedOverrides = ['startMs', 'endMs', 'timeZone', 'allDay', 'status', 'busy'] as const;

/** The fields of an event that the thread needs: the rest would be copied for nothing. */
const expandable = (event: Expandable): Expandable => ({
  ...{ id: event.id, calendarId: event.calendarId, status: event.status, busy: event.busy },
  ...{ timeZone: event.timeZone, allDay: event.allDay, lastStartMs: event.lastStartMs },
  ...{ startMs: event.startMs, endMs: event.endMs },
  ...{ recurrence: event.recurrence, reminders: event.reminders },
  overrides: event.overrides.map((one) => ({
    occurrenceStartMs: one.occurrenceStartMs,
    ...Object.fromEntries(
      expandedOverrides.filter((name) => one[name] !== undefined).map((name) => [name, one[name]]),
    ),
  })),
});
