import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@postroom/contracts';
import { statement } from '@postroom/persistence';
import { Metrics } from '@postroom/service';
import { until } from '@postroom/testing/until';
import { watchService } from './service-metrics.js';
import { Ledger } from './testing/ledger.js';
import { insertEvent, Replica } from './testing/outbox.js';

const nap = statement<object>('spec.nap', 'SELECT pg_sleep(0.2)');

describe('the metrics of a service', () => {
  let ledger: Ledger;
  let replica: Replica;
  const metrics = new Metrics();

  beforeAll(async () => {
    ledger = await Ledger.open();
    replica = await Replica.open(ledger);
    watchService(metrics, 'mail', replica.database);
  });
  afterAll(async () => {
    await replica.close();
    await ledger.close();
  });

  const valueOf = async (series: string): Promise<number> => {
    const { body } = await metrics.expose();
    const line = body.split('\n').find((one) => one.startsWith(`${series} `));
    return Number(line?.split(' ').at(-1));
  };

  it('tell how long the oldest event of all workspaces waits, and not one that is parked', async () => {
    const series = 'postroom_outbox_oldest_seconds{service="mail"}';
    expect(await valueOf(series)).toBe(0);
    for (const [resource, age] of [
      ['cnv_1', 90],
      ['cnv_2', 30],
      ['cnv_3', 900],
    ] as const) {
      const id = await insertEvent(ledger, { tenantId: newId('ten'), resource, sequence: 1 });
      await ledger.sql(
        `UPDATE outbox SET created_at = now() - make_interval(secs => $2),
           refusal = CASE WHEN resource = 'cnv_3' THEN 'too large' END WHERE event_id = $1`,
        [id, age],
      );
    }
    expect(await valueOf(series)).toBeGreaterThanOrEqual(90);
    expect(await valueOf(series)).toBeLessThan(120);
    expect(await valueOf('postroom_parked_events{service="mail"}')).toBe(1);
  });

  it('tell how the connections are used, and how many wait because all are', async () => {
    const series = 'postroom_database_waiting{service="mail"}';
    const used = 'postroom_database_connections{service="mail",state="used"}';
    // Asking takes a connection too, which is no wait.
    expect(await valueOf(series)).toBe(0);
    const queries = Array.from({ length: 30 }, (_, i) =>
      replica.database.rows(nap, [], i % 2 === 0 ? 'ten_1' : 'ten_2'),
    );
    await until(async () => {
      const { waiting, idle } = replica.database.load;
      return waiting > 0 && idle === 0;
    });
    expect(await valueOf(series)).toBeGreaterThan(0);
    await Promise.all(queries);
    expect(await valueOf(series)).toBe(0);
    expect(await valueOf(used)).toBeLessThan(30);
  });
});
