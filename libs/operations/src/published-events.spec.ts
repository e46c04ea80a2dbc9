import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@postroom/contracts';
import { claim, completeBatch } from './outbox-shards.js';
import { Ledger } from './testing/ledger.js';
import { insertEvent, Replica, until, waiting } from './testing/outbox.js';
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
    const batch = await claim(replica.database, 'a relay', 30_000);
    const delivery = { published: [published], refused: [{ id: refused, cause: 'too large' }] };
    await completeBatch(replica.database, batch, delivery);
    // A relay that has lost its shards to another adds nothing.
    await claim(replica.database, 'another relay', 30_000);
    await completeBatch(replica.database, batch, { published: [waits], refused: [] });
    expect((await kept()).map(({ event_id: id, age }) => [id, age < 60])).toEqual([
      [published, true],
    ]);
    const left = await ledger.sql<{ id: string }>('SELECT event_id AS id FROM outbox ORDER BY 1');
    expect(left.map(({ id }) => id)).toEqual([refused, waits].toSorted());
    await ledger.sql('DELETE FROM outbox');
    await ledger.sql('UPDATE outbox_shards SET owner = NULL, free_at = now()');
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
