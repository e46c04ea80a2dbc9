import type { Order, Report, Setup } from '../rig/setup.js';

/** A server that listens. */
export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** Runs this process as one server of the bench: started, asked and stopped by the parent. */
export function serve(start: (setup: Setup) => Promise<Listening>): void {
  let server: Listening | undefined;
  const obey = async (order: Order): Promise<void> => {
    if (order === 'cpu') {
      const { user, system } = process.cpuUsage();
      report({ cpuMs: (user + system) / 1000 });
    } else if (order === 'stop') {
      await server?.close();
      process.exit(0);
    } else {
      server = await start(order.start);
      report({ port: server.port });
    }
  };
  process.on('message', (order: Order) => {
    obey(order).catch((error: unknown) => {
      report({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    });
  });
  // The parent is gone: nobody measures any more.
  process.on('disconnect', () => process.exit(1));
}

const report = (said: Report): void => {
  process.send?.(said);
};
