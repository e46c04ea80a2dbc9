import { describe, expect, it } from '@jest/globals';
import { Metrics } from './metrics.js';

const seriesOf = (body: string): string[] =>
  body.split('\n').filter((line) => line.startsWith('postroom_operation_duration_seconds_count'));

describe('the metrics', () => {
  it('count and time operations by service, id and outcome', async () => {
    const metrics = new Metrics();
    const record = metrics.operations('gateway', ['mail.drafts.create']);
    record('mail.drafts.create', 200, 4);
    record('mail.drafts.create', 200, 6);
    metrics.operations('mail', ['mail.drafts.create'])('mail.drafts.create', 'refused', 1);
    const { body, contentType } = await metrics.expose();
    expect(contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
    const of = (service: string, outcome: string) =>
      `{service="${service}",operation="mail.drafts.create",outcome="${outcome}"}`;
    expect(body).toContain(`postroom_operation_duration_seconds_sum${of('gateway', '200')} 0.01`);
    expect(seriesOf(body)).toEqual([
      `postroom_operation_duration_seconds_count${of('gateway', '200')} 2`,
      `postroom_operation_duration_seconds_count${of('mail', 'refused')} 1`,
    ]);
  });

  it('have names that promtool takes, and are read once for all who ask at a time', async () => {
    const metrics = new Metrics();
    let reads = 0;
    metrics.gauge({ name: 'postroom_reads', help: 'Reads.' }, () => [{ value: ++reads }]);
    const [{ body }] = await Promise.all([metrics.expose(), metrics.expose(), metrics.expose()]);
    expect(body).not.toMatch(/^# TYPE \S+_total gauge$/m);
    expect(reads).toBe(1);
    expect((await metrics.expose()).body).toContain('postroom_reads 2');
  });

  it('make one series of whatever was not announced', async () => {
    const metrics = new Metrics();
    const record = metrics.operations('gateway', ['mail.drafts.create']);
    for (let index = 0; index < 100; index += 1) record(`/v1/made-up-${index}`, 404, 1);
    for (const outcome of [0, 99, 600, 200.5, Number.NaN]) record('made up', outcome, 1);
    expect(seriesOf((await metrics.expose()).body)).toHaveLength(2);
  });

  it('read a gauge when they are asked for, of all who share it, and leave out who fails', async () => {
    const metrics = new Metrics();
    const gauge = { name: 'postroom_waiting', help: 'What waits.', labelNames: ['service'] };
    let value = 1;
    metrics.gauge(gauge, () => [{ labels: { service: 'mail' }, value }]);
    metrics.gauge(gauge, async () => [{ labels: { service: 'access' }, value: 7 }]);
    metrics.gauge(gauge, () => Promise.reject(new Error('no database')));
    const waiting = async (): Promise<string[]> =>
      (await metrics.expose()).body.split('\n').filter((line) => /^postroom_waiting/.test(line));
    expect(await waiting()).toEqual([
      'postroom_waiting{service="mail"} 1',
      'postroom_waiting{service="access"} 7',
    ]);
    value = 2;
    expect((await waiting())[0]).toBe('postroom_waiting{service="mail"} 2');
  });

  it('count by label', async () => {
    const metrics = new Metrics();
    const count = metrics.counter({ name: 'postroom_c_total', help: 'C.', labelNames: ['of'] });
    for (const label of ['a', 'b', 'a']) count({ of: label });
    const { body } = await metrics.expose();
    expect(body).toContain('postroom_c_total{of="a"} 2\npostroom_c_total{of="b"} 1\n');
  });

  it('hold those of the process itself, in a registry of their own', async () => {
    const [one, two] = [new Metrics(), new Metrics()];
    one.operations('mail', ['a'])('a', 'ok', 1);
    expect((await one.expose()).body).toContain('process_cpu_user_seconds_total');
    expect(seriesOf((await two.expose()).body)).toEqual([]);
  });
});
