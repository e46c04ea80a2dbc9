import { cpuMsSoFar, obey } from '../rig/obey.js';
import type { Order, Report, Setup } from '../rig/setup.js';

/** A server that listens. */
export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** Runs this process as one server of the bench: started, asked and stopped by the parent. */
export function serve(start: (setup: Setup) => Promise<Listening>): void {
  let server: Listening | undefined;
  obey(
    async (order: Order): Promise<Report> => {
      if (order === 'cpu') return { cpuMs: cpuMsSoFar() };
      server = await start(order.start);
      return { port: server.port };
    },
    async () => server?.close(),
  );
}
