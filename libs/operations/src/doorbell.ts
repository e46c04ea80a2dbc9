/** Wakes one who waits; a ring while nobody waits is kept for the next wait. */
export class Doorbell {
  private rung = false;
  private answer: (() => void) | undefined;

  ring(): void {
    this.rung = true;
    this.answer?.();
  }

  /** Resolves at a ring, or after a time without one. */
  async wait(ms: number): Promise<void> {
    if (!this.rung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.answer = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.answer = undefined;
    this.rung = false;
  }
}
