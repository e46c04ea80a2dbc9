import { Injectable } from '@nestjs/common';
import type { Reading } from '@postroom/operations';
import { Budget } from '@postroom/limits';
import { limits } from '../limits.js';

/** Turns for windows of events, each of which may hold megabytes. */
@Injectable()
export class Windows {
  private readonly places = new Budget(limits.windows);

  /** @throws LimitReached when too many wait, or it waits too long */
  of<T>({ tenantId, deadlineMs }: Reading, read: () => Promise<T>): Promise<T> {
    const waitMaxMs = deadlineMs - Date.now();
    return this.places.runInTurn({ workspace: tenantId }, read, { waitMaxMs });
  }
}
