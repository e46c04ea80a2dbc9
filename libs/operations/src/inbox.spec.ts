import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@postroom/contracts';
import { runMaintenance } from './maintenance.js';
import { consumeOnce, type Consuming } from './inbox.js';
import { bump, Ledger, nothing } from './testing/ledger.js';

const eventOf = (tenantId = newId('ten')) => ({ id: newId('evn'), tenantId });

const count = async (consuming: Consuming): Promise<void> => {
  await bump(consuming, 'consumed');
};

describe('the inbox', () => {
  let ledger: Ledger;
  beforeAll(async () => {
    ledger = await Ledger.open({ poolSize: 10 });
  });
  afterAll(() => ledger.close());

  const consume = (event: { id: string; tenantId: string }, work = count, consumer = 'webhooks') =>
    consumeOnce(ledger.database, consumer, event, work);

  const effects = async ({ tenantId }: { tenantId: string }): Promise<number> =>
    (await ledger.holdings(tenantId)).effects;

  it('gives an event one effect, however often and at once it is delivered', async () => {
    const event = eventOf();
    const done = await Promise.all(Array.from({ length: 20 }, () => consume(event)));
    expect(done.filter(Boolean)).toHaveLength(1);
    expect(await consume(event)).toBe(false);
    expect(await effects(event)).toBe(1);
  });

  it('gives each consumer an effect of its own, and each event', async () => {
    const event = eventOf();
    await consume(event);
    await consume(event, count, 'search');
    await consume(eventOf(event.tenantId));
    expect(await effects(event)).toBe(3);
  });

  it('keeps nothing of work that failed, so that a later delivery does it', async () => {
    const event = eventOf();
    const failing = consume(event, async (consuming) => {
      await count(consuming);
      throw new Error('not now');
    });
    await expect(failing).rejects.toThrow('not now');
    expect(await ledger.holdings(event.tenantId)).toEqual(nothing);
    expect(await consume(event)).toBe(true);
    expect(await effects(event)).toBe(1);
  });

  it('lets a waiting delivery do it when the first one fails', async () => {
    const event = eventOf();
    let fail = (): void => undefined;
    const begun = new Promise<void>((begin) => {
      const first = consume(event, async (consuming) => {
        await count(consuming);
        begin();
        await new Promise<void>((_, reject) => {
          fail = () => {
            reject(new Error('late'));
          };
        });
      });
      first.catch(() => undefined);
    });
    await begun;
    const second = consume(event);
    fail();
    expect(await second).toBe(true);
    expect(await effects(event)).toBe(1);
  });

  it('works under the tenant of the event, and sees no other', async () => {
    const [mine, theirs] = [eventOf(), eventOf()];
    await consume(theirs);
    await consume(mine, async ({ tenantId, manager }) => {
      expect(tenantId).toBe(mine.tenantId);
      expect(await manager.query('SELECT tenant_id FROM inbox')).toEqual([{ tenant_id: tenantId }]);
    });
  });

  it('is deleted after seven days', async () => {
    const [old, young] = [eventOf(), eventOf()];
    await Promise.all([consume(old), consume(young)]);
    await ledger.sql(
      `UPDATE inbox SET consumed_at = now() - interval '7 days 1 minute' WHERE event_id = $1`,
      [old.id],
    );
    await ledger.sql(
      `UPDATE inbox SET consumed_at = now() - interval '6 days 23 hours' WHERE event_id = $1`,
      [young.id],
    );
    await ledger.sql(
      `INSERT INTO inbox SELECT $1, 'webhooks', 'evn_' || n, now() - interval '8 days'
       FROM generate_series(1, 2500) n`,
      [old.tenantId],
    );
    await runMaintenance(ledger.database, []);
    const kept = await ledger.sql('SELECT event_id FROM inbox WHERE tenant_id = ANY ($1)', [
      [old.tenantId, young.tenantId],
    ]);
    expect(kept).toEqual([{ event_id: young.id }]);
  });
});
