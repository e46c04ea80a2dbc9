import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * One piece of work a turn of the event loop, whoever it is for: of twenty uploads that come at once,
 * each is looked at in its turn, and requests are served in between.
 */
export class Turns {
  private last: Promise<void> = Promise.resolve();

  /** Resolves when it is this caller's turn. */
  mine(): Promise<void> {
    return (this.last = this.last.then(() => nextTurn()));
  }
}
