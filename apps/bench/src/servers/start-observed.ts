import { createWriteStream } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { InProcessBus, traced } from '@postroom/bus';
import { freePort } from '@postroom/local';
import { createLog, Metrics, traceProcess } from '@postroom/service';
import type { Setup } from '../rig/setup.js';
import type { Listening } from './serve.js';
import { startProduct, type Telemetry } from './start-product.js';

/** Oftener than Prometheus asks by default, so that each round has its share. */
const scrapeEveryMs = 1_000;

/**
 * The product as an operator watches it: lines of JSON, metrics that are read, and spans of a share of the requests. The
 * collector is in this process, and its cost counts.
 */
export async function startObserved(setup: Setup, tracesRatio: number | null): Promise<Listening> {
  const log = createLog({ level: 'info', format: 'json', to: createWriteStream('/dev/null') });
  const telemetry = { log, metrics: new Metrics() };
  const stopTraces = tracesRatio === null ? null : await traceTo(telemetry, tracesRatio);
  const product = await startProduct(setup, traced(new InProcessBus()), telemetry);
  const scraping = setInterval(() => void telemetry.metrics.expose(), scrapeEveryMs);
  return {
    ...product,
    async close() {
      clearInterval(scraping);
      await product.close();
      await stopTraces?.();
    },
  };
}

async function traceTo(telemetry: Telemetry, tracesRatio: number): Promise<() => Promise<void>> {
  const port = await freePort();
  const collector = createServer((request, response) => {
    request.resume().once('end', () => response.end('{}'));
  });
  await listening(collector, port);
  const config = { otlpEndpoint: `http://127.0.0.1:${port}`, tracesRatio };
  const from = { service: 'postroom-bench', instance: 'bench' };
  const stop = await traceProcess(config, { ...from, ...telemetry });
  return async () => {
    await stop?.();
    collector.closeAllConnections();
    collector.close();
  };
}

const listening = (server: Server, port: number): Promise<void> =>
  new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
