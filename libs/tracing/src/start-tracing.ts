import { setTracing } from './spans.js';
import type { TracingOptions } from './tracing-options.js';

/** What sends spans until it is stopped. */
export interface Tracing {
  /** Sends what waits, as far as the collector takes it in time. Never rejects. */
  stop(): Promise<void>;
}

/** Loads the SDK, and sends the spans of this process to a collector from now on. */
export async function startTracing(options: TracingOptions): Promise<Tracing> {
  // Only here: a process without tracing pays for none of it.
  const { openProvider } = await import('./provider.js');
  const close = openProvider(options);
  setTracing(true);
  return {
    async stop() {
      setTracing(false);
      await close();
    },
  };
}
