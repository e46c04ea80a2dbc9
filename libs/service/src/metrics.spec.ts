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

  it('make one series of whatever was not announced', async () => {
    const metrics = new Metrics();
    const record = metrics.operations('gateway', ['mail.drafts.create']);
    for (let index = 0; index < 100; index += 1) record(`/v1/made-up-${index}`, 404, 1);
    for (const outcome of [0, 99, 600, 200.5, Number.NaN]) record('made up', outcome, 1);
    expect(seriesOf((await metrics.expose()).body)).toHaveLength(2);
  });

  it('hold those of the process itself, in a registry of their own', async () => {
    const [one, two] = [new Metrics(), new Metrics()];
    one.operations('mail', ['a'])('a', 'ok', 1);
    expect((await one.expose()).body).toContain('process_cpu_user_seconds_total');
    expect(seriesOf((await two.expose()).body)).toEqual([]);
  });
});
