import { setTracing } from './current-trace.js';
import type { TracingOptions } from './provider.js';

/** Sends spans until it is stopped. */
export interface Tracing {
  /** Sends the waiting spans that the collector accepts in time. Never rejects. */
  stop(): Promise<void>;
}

/** Loads the SDK, and starts to send the spans of this process to a collector. */
export async function startTracing(options: TracingOptions): Promise<Tracing> {
  // Imported here, so that a process without tracing does not load it.
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
