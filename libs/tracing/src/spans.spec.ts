import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Collector, type CollectedSpan } from './testing/index.js';
import { beginRequest, beginSpan } from './open-spans.js';
import { inContextOf, inSpan, isTracing, traceId, traceparent } from './current-trace.js';
import { startTracing, type Tracing } from './start-tracing.js';

const stranger = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
const strangers = (flags: '00' | '01') => `00-${stranger.traceId}-${stranger.spanId}-${flags}`;

const watch = {
  exported: () => undefined,
  dropped: () => undefined,
  lost: () => undefined,
  recovered: () => undefined,
};

describe('spans', () => {
  let collector: Collector;
  let tracing: Tracing | undefined;

  beforeEach(async () => {
    collector = await Collector.start();
  });
  afterEach(async () => {
    await tracing?.stop();
    tracing = undefined;
    await collector.close();
  });

  const start = async (ratio: number): Promise<void> => {
    const { endpoint } = collector;
    tracing = await startTracing({ endpoint, ratio, service: 'spec', instance: 'one', watch });
  };
  /** Handles a request, whose context is `given`. */
  const asked = async (given: string | undefined, work: () => Promise<void>): Promise<void> => {
    const request = beginRequest(given);
    await (request ? request.runInTrace(work) : work());
    request?.endSpan('GET /x', { 'http.response.status_code': 200 }, false);
  };
  /** All spans, by name, once they have been sent. */
  const sent = async (): Promise<Record<string, CollectedSpan>> => {
    await tracing?.stop();
    return Object.fromEntries(collector.spans.map((span) => [span.name, span]));
  };

  it('are no more than the work itself where nothing is configured', async () => {
    expect(isTracing()).toBe(false);
    let given: unknown = 'not called';
    await asked(strangers('01'), () =>
      inSpan('work', {}, async (span) => {
        given = span;
        expect([traceparent(), traceId()]).toEqual([null, undefined]);
      }),
    );
    expect(given).toBeUndefined();
    expect(beginSpan(strangers('01'), 'publish', {})).toBeNull();
  });

  it('of a request are one trace, across what carries its context', async () => {
    await start(1);
    let carried: string | null = null;
    await asked(undefined, () =>
      inSpan('ask', { kind: 'client' }, async () => {
        carried = traceparent();
      }),
    );
    await inContextOf(carried, () => inSpan('answer', { kind: 'server' }, async () => undefined));
    const spans = await sent();
    const request = spans['GET /x'];
    expect(request?.parentSpanId).toBeUndefined();
    expect(spans['ask']?.parentSpanId).toBe(request?.spanId);
    expect(spans['answer']?.parentSpanId).toBe(spans['ask']?.spanId);
    expect(new Set(collector.spans.map((span) => span.traceId)).size).toBe(1);
  });

  it('are begun by a request alone: work that nobody asked for has none', async () => {
    await start(1);
    await inSpan('poll', {}, async (span) => expect(span).toBeUndefined());
    await asked(undefined, () =>
      inContextOf(null, () => inSpan('batch', {}, async (span) => expect(span).toBeUndefined())),
    );
    expect(Object.keys(await sent())).toEqual(['GET /x']);
  });

  it('take the trace of a client, and not its decision', async () => {
    await start(1);
    await asked(strangers('00'), async () => expect(traceId()).toBe(stranger.traceId));
    expect((await sent())['GET /x']).toMatchObject({ parentSpanId: stranger.spanId });
  });

  it('are not recorded because a client says so, or chooses an id', async () => {
    await start(0);
    for (const first of ['0', 'a', 'f'])
      await asked(`00-${first}${'0'.repeat(30)}1-${stranger.spanId}-01`, () =>
        inSpan('work', {}, async () => expect(traceparent()).toMatch(/-00$/)),
      );
    expect(await sent()).toEqual({});
  });

  it('are recorded of about the share that is wanted, each trace whole', async () => {
    await start(0.25);
    for (let i = 0; i < 400; i += 1)
      await asked(i % 2 ? undefined : strangers('01'), () =>
        inSpan('work', {}, () =>
          inContextOf(traceparent(), () => inSpan('beyond', {}, async () => undefined)),
        ),
      );
    await tracing?.stop();
    const named = (name: string) => collector.spans.filter((span) => span.name === name).length;
    // Six standard deviations of 400 throws.
    expect(named('GET /x')).toBeGreaterThan(48);
    expect(named('GET /x')).toBeLessThan(152);
    expect([named('work'), named('beyond')]).toEqual([named('GET /x'), named('GET /x')]);
  });

  it('tell of a failure its code, and nothing that the error says', async () => {
    await start(1);
    const failure = Object.assign(new Error('camille@x.test is refused'), { code: 'E_REFUSED' });
    const working = inSpanOfRequest(() => Promise.reject(failure));
    await expect(working).rejects.toBe(failure);
    const { work } = await sent();
    expect(work).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': 'E_REFUSED' } });
    expect(collector.bodies.join('')).not.toContain('camille');
  });

  const inSpanOfRequest = (work: () => Promise<void>): Promise<void> =>
    asked(undefined, () => inSpan('work', {}, work));
});
