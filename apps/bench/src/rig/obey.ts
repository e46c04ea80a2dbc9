import type { Failed } from './tell.js';

/**
 * Runs this process by its parent's orders, one at a time, each answered with a report. `perform`
 * carries out an order.
 */
export function obey(
  perform: (order: never) => Promise<object>,
  stop: () => Promise<void> | undefined,
): void {
  const report = (said: object | Failed): void => {
    process.send?.(said);
  };
  const take = async (order: unknown): Promise<void> => {
    if (order !== 'stop') return report(await perform(order as never));
    await stop();
    process.exit(0);
  };
  process.on('message', (order: unknown) => {
    take(order).catch((error: unknown) => {
      report({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    });
  });
  // The parent has ended.
  process.on('disconnect', () => process.exit(1));
}

/** CPU time this process has used so far, its threads included, milliseconds. */
export function cpuMsSoFar(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
