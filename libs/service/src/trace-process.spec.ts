import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { beginRequest, inSpan } from '@postroom/tracing';
import { Collector } from '@postroom/tracing/testing';
import { loadConfig } from './config.js';
import { createLog } from './log.js';
import { Metrics } from './metrics.js';
import { traceProcess, TracingConfig } from './trace-process.js';

/** More than may wait: see span-queue.ts. */
const tooMany = 3_000;

describe('tracing a process', () => {
  const lines: string[] = [];
  const log = createLog({
    level: 'info',
    format: 'json',
    to: { write: (line) => lines.push(line) },
  });
  let metrics = new Metrics();
  let stop: (() => Promise<void>) | null = null;
  const end = async (): Promise<void> => {
    await stop?.();
    stop = null;
  };
  afterEach(async () => {
    await end();
    lines.length = 0;
    metrics = new Metrics();
  });

  const trace = async (env: NodeJS.ProcessEnv): Promise<void> => {
    const parts = { service: 'postroom-spec', instance: 'one', log, metrics };
    stop = await traceProcess(loadConfig(TracingConfig, env), parts);
  };
  const request = (): void => beginRequest(undefined)?.endSpan('GET /x', {}, false);
  const counted = async (outcome: string): Promise<number> => {
    const { body } = await metrics.expose();
    const found = new RegExp(`postroom_trace_spans_total\\{outcome="${outcome}"\\} (\\d+)`);
    return Number(found.exec(body)?.[1] ?? 0);
  };
  const until = async (holds: () => Promise<boolean>): Promise<void> => {
    while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50));
  };

  it('is off without a collector', async () => {
    await trace({});
    expect(stop).toBeNull();
    expect(beginRequest(undefined)).toBeNull();
  });

  it('puts the id of the trace into what is logged in it', async () => {
    const collector = await Collector.start();
    await trace({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
    const span = beginRequest(undefined);
    await span?.runInTrace(() => inSpan('work', {}, async () => log.info('in it')));
    span?.endSpan('GET /x', {}, false);
    log.info('outside');
    await end();
    const [inside, outside] = lines.map((line) => JSON.parse(line) as { traceId?: string });
    expect(inside?.traceId).toBe(collector.spans[0]?.traceId);
    expect(inside?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(outside).not.toHaveProperty('traceId');
    expect(collector.spans[0]?.service).toBe('postroom-spec');
    expect(await counted('exported')).toBe(2);
    await collector.close();
  });

  it('loses spans and nothing else while the collector is away, and says so once', async () => {
    const gone = await Collector.start();
    await gone.close();
    await trace({ OTEL_EXPORTER_OTLP_ENDPOINT: `${gone.endpoint}/` });
    for (let i = 0; i < tooMany; i += 1) request();
    // Spans beyond the queue are dropped at once; the others when their time to be sent is over.
    expect(await counted('dropped')).toBeGreaterThan(0);
    await until(async () => lines.length > 0);
    const collector = await Collector.start(gone.port);
    await until(async () => {
      request();
      return (await counted('exported')) > 0;
    });
    await end();
    expect(lines.filter((line) => line.includes('takes no spans'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('takes spans again'))).toHaveLength(1);
    await collector.close();
  });

  it('ends soon where the collector never answers', async () => {
    const held: ServerResponse[] = [];
    const silent = createServer((_request, response) => void held.push(response));
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo;
    await trace({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
    request();
    await end();
    expect(held).toHaveLength(1);
    for (const response of held) response.writeHead(400).end();
    silent.closeAllConnections();
    silent.close();
  });

  it.each(['1.5', '-1', 'all', '1e-1'])('refuses the share %s', (given) => {
    expect(() => loadConfig(TracingConfig, { OTEL_TRACES_SAMPLER_ARG: given })).toThrow(
      'a number from 0 to 1',
    );
  });
});
