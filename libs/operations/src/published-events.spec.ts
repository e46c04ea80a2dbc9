import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@postroom/contracts';
import { until } from '@postroom/testing/until';
import { leaseBatch, completeBatch } from './outbox-shards.js';
import { replayPublished } from './outbox-repair.js';
import { Ledger } from './testing/ledger.js';
import { insertEvent, Replica, waiting } from './testing/outbox.js';
import { PaperBus } from './testing/paper-bus.js';

describe('published events', () => {
  let ledger: Ledger;
  let replica: Replica;
  beforeAll(async () => {
    ledger = await Ledger.open();
    replica = await Replica.open(ledger);
  });
  afterAll(async () => {
    await replica.close();
    await ledger.close();
  });

  const kept = () =>
    ledger.sql<{ event_id: string; envelope: string; age: number }>(
      `SELECT event_id, envelope, extract(epoch FROM now() - published_at)::int AS age
       FROM published_events ORDER BY published_at`,
    );

  it('are those that the bus took, each once, with the time; no other', async () => {
    const tenantId = newId('ten');
    const published = await insertEvent(ledger, { tenantId, resource: 'cnv_1', sequence: 1 });
    const refused = await insertEvent(ledger, { tenantId, resource: 'cnv_2', sequence: 1 });
    const waits = await insertEvent(ledger, { tenantId, resource: 'cnv_3', sequence: 1 });
    const batch = await leaseBatch(replica.database, 'a relay', 30_000);
    const delivery = { published: [published], refused: [{ id: refused, cause: 'too large' }] };
    await completeBatch(replica.database, batch, delivery);
    // A relay that has lost its shards to another adds nothing.
    await leaseBatch(replica.database, 'another relay', 30_000);
    await completeBatch(replica.database, batch, { published: [waits], refused: [] });
    expect((await kept()).map(({ event_id: id, age }) => [id, age < 60])).toEqual([
      [published, true],
    ]);
    const left = await ledger.sql<{ id: string }>('SELECT event_id AS id FROM outbox ORDER BY 1');
    expect(left.map(({ id }) => id)).toEqual([refused, waits].toSorted());
    await ledger.sql('DELETE FROM outbox');
    await ledger.sql('UPDATE outbox_shards SET owner = NULL, free_at = now()');
  });

  it('leave once more where a broker has lost them, under their ids and in the order of their resource', async () => {
    const tenantId = newId('ten');
    const ids = [];
    for (const sequence of [1, 2, 3])
      ids.push(await insertEvent(ledger, { tenantId, resource: 'cnv_5', sequence }));
    const first = replica.relay(new PaperBus());
    await until(async () => (await waiting(ledger)) === 0);
    await first.stop();
    const before = await kept();
    await ledger.sql(
      `UPDATE published_events SET published_at = now() - interval '2 hours' WHERE event_id = $1`,
      [ids[0]],
    );
    const since = new Date(Date.now() - 3_600_000);
    const replayed = before.length - 1;
    expect(await replayPublished(replica.database, since)).toBe(replayed);
    expect(await waiting(ledger)).toBe(replayed);
    const emptied = new PaperBus();
    const second = replica.relay(emptied);
    await until(async () => (await waiting(ledger)) === 0);
    await second.stop();
    const sent = emptied.taken.filter((event) => event.tenantId === tenantId);
    expect(sent.map(({ id }) => id)).toEqual(ids.slice(1));
    // Each is kept once, as before.
    expect((await kept()).map(({ event_id: id }) => id).toSorted()).toEqual(
      before.map(({ event_id: id }) => id).toSorted(),
    );
  });

  it('are emptied by whole days, a week after', async () => {
    const tenantId = newId('ten');
    await insertEvent(ledger, { tenantId, resource: 'cnv_4', sequence: 1 });
    const relay = replica.relay(new PaperBus());
    await until(async () => (await waiting(ledger)) === 0);
    await relay.stop();
    const count = (await kept()).length;
    await ledger.sql('SELECT empty_published()');
    expect(await kept()).toHaveLength(count);
    const today = Math.floor(Date.now() / 86_400_000);
    await ledger.sql('UPDATE published_events SET slot = $1', [(today - 7) % 10]);
    await ledger.sql('SELECT empty_published()');
    expect(await kept()).toHaveLength(count);
    await ledger.sql('UPDATE published_events SET slot = $1', [(today - 8) % 10]);
    await ledger.sql('SELECT empty_published()');
    expect(await kept()).toEqual([]);
  });
});
