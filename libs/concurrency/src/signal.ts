/** An auto-reset event for one waiter: a notification while nobody waits ends the next wait at once. */
export class Signal {
  private isSet = false;
  private wake: (() => void) | undefined;

  notify(): void {
    this.isSet = true;
    this.wake?.();
  }

  /** Resolves at a notification, or after `ms`. */
  async wait(ms: number): Promise<void> {
    if (!this.isSet) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.wake = undefined;
    this.isSet = false;
  }
}
