import { Injectable } from '@nestjs/common';
import { coversEvents, readableEventTypes, type Caller } from '@postroom/access';
import { feed, typesAsked, type EventType } from '@postroom/contracts';
import { Budget } from '@postroom/limits';
import { handlers } from '@postroom/operations';
import { WebhooksConfig } from './config.js';
import { limits } from './limits.js';
import { dayMs } from './retention.js';
import { pageAfter, positionAfter } from './stored-feed.js';

/** Polling interval, for a wake-up that was lost. */
const pollMs = 1_000;

/** Readers of the feed that wait for an event. */
@Injectable()
export class FeedWaits {
  private readonly wakes = new Map<() => void, string>();
  private readonly waiting = new Budget(limits.feedWaits);

  /** Has the waiting readers of a workspace, or all, look again, after events were recorded. */
  wake(tenantId = ''): void {
    for (const [wake, of] of [...this.wakes]) if (tenantId === '' || tenantId === of) wake();
  }

  /**
   * Looks repeatedly until something is found or the time is up.
   * @throws LimitReached when too many readers of the workspace wait already
   */
  async until<T>(
    tenantId: string,
    endMs: number,
    look: () => Promise<T>,
    isFound: (found: T) => boolean,
  ): Promise<T> {
    let found = await look();
    if (isFound(found) || Date.now() >= endMs) return found;
    const leave = this.waiting.take({ workspace: tenantId });
    try {
      while (!isFound(found) && Date.now() < endMs) {
        await this.next(tenantId, Math.min(pollMs, endMs - Date.now()));
        found = await look();
      }
      return found;
    } finally {
      leave();
    }
  }

  private next(tenantId: string, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.wakes.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.wakes.set(wake, tenantId);
    });
  }
}

/** The part of the deadline that is reserved for the way back. */
const spareMs = 3_000;

/** The feed, for the gateway, which filters by the books and calendars that the key may see. */
export const FeedHandlers = handlers(feed, [WebhooksConfig, FeedWaits], (config, waits) => ({
  read: async (context, input) => {
    const { caller, tenantId, deadlineMs } = context;
    const keptSinceMs = Date.now() - config.webhookEventDays * dayMs;
    const begin = await positionAfter(context, input.after, keptSinceMs);
    const view = {
      types: coveredTypes(caller, typesAsked(input)),
      mailboxes: caller.type === 'key' ? Object.keys(caller.grants) : [],
      limit: input.limit,
    };
    const endMs = Math.min(Date.now() + input.wait * 1000, deadlineMs - spareMs);
    const look = () => pageAfter(context, begin.position, view);
    const page = await waits.until(tenantId, endMs, look, ({ events }) => events.length > 0);
    return { ...page, nextAfter: page.nextAfter ?? begin.event };
  },
}));

/** The event types whose resources the scopes and the member of a key cover. */
export const coveredTypes = (
  caller: Caller,
  requested: readonly EventType[] = readableEventTypes,
): readonly EventType[] => requested.filter((type) => coversEvents(caller, type));
