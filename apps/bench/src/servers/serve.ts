import { cpuMsSoFar, obey } from '../rig/obey.js';
import type { Order, Report, Setup } from '../rig/setup.js';

/** A server that listens. */
export interface Listening {
  readonly port: number;
  /** The SMTP port, where it has one. */
  readonly smtpPort?: number;
  close(): Promise<void>;
}

/** Runs this process as one server of the bench, controlled by the parent. */
export function serve(start: (setup: Setup) => Promise<Listening>): void {
  let server: Listening | undefined;
  obey(
    async (order: Order): Promise<Report> => {
      if (order === 'cpu') return { cpuMs: cpuMsSoFar() };
      if (order === 'memory') return { memoryMb: process.resourceUsage().maxRSS / 1024 };
      server = await start(order.start);
      const { port, smtpPort } = server;
      return { port, ...(smtpPort !== undefined && { smtpPort }) };
    },
    async () => server?.close(),
  );
}
