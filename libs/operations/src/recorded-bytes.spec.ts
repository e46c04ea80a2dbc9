import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { addressBooks, conversations } from '@postroom/contracts';
import { createLog } from '@postroom/service';
import { Engine } from './engine.js';
import { runMaintenance } from './maintenance.js';
import { RecordedBytes } from './recorded-bytes.js';
import { commentAnd, commentInput, handlerOf, keyCaller, Ledger } from './testing/ledger.js';

const { comment } = conversations;

describe('the bytes that writes have recorded', () => {
  let ledger: Ledger;
  let recorded: RecordedBytes;
  let engine: Engine;
  beforeAll(async () => {
    ledger = await Ledger.open();
    const { database, callerKey } = ledger;
    recorded = new RecordedBytes(database, { ownerDay: 20_000, workspace: 60_000 });
    engine = new Engine({
      ...{ database, callerKey, recorded },
      log: createLog({ level: 'silent', format: 'json' }),
    });
  });
  afterAll(() => ledger.close());

  const minute = (): Promise<void> => runMaintenance(ledger.database, [], recorded);
  const ask = (
    caller: ReturnType<typeof keyCaller>,
    { key, id, text = randomBytes(5_000).toString('hex') }: Partial<Record<string, string>> = {},
  ) => {
    const input = commentInput({ text, ...(id !== undefined && { id }) });
    const call = { caller, input, ...(key !== undefined && { key }) };
    return engine.handleRequest(ledger.request(comment, call), commentAnd());
  };
  const counters = (tenantId: string) =>
    ledger.sql<{ quota: string; amount: number }>(
      `SELECT regexp_replace(quota, 'key_.*', 'key') AS quota, sum(amount)::int AS amount
       FROM quota_counters WHERE tenant_id = $1 GROUP BY 1 ORDER BY 1`,
      [tenantId],
    );

  it('are those of the answers and events that are kept, counted for the workspace and the key', async () => {
    const caller = keyCaller();
    for (const key of ['first of mine', 'second one'])
      expect((await ask(caller, { key })).status).toBe(200);
    const [kept] = await ledger.sql<{ bytes: number }>(
      `SELECT ((SELECT sum(octet_length(body)) FROM replies WHERE tenant_id = $1)
         + (SELECT sum(octet_length(envelope)) FROM outbox WHERE tenant_id = $1))::int AS bytes`,
      [caller.tenantId],
    );
    await minute();
    expect(await counters(caller.tenantId)).toEqual(
      ['recordedBytes', 'recordedBytes key', 'storedBytes'].map((quota) => ({
        quota,
        amount: kept?.bytes,
      })),
    );
    await ledger.sql(`UPDATE quota_counters SET day = day - 9 WHERE day > '-infinity'`);
    await minute();
    const left = await counters(caller.tenantId);
    expect(left.reduce((sum, { amount }) => sum + amount, 0)).toBe(0);
  });

  it('are bounded for a key and day: then its writes are refused, and what was done is answered again', async () => {
    const caller = keyCaller();
    const { tenantId } = caller;
    const first = { key: 'the first of all', id: 'cnv_1', text: 'x'.repeat(8_000) };
    const answered = await ask(caller, first);
    expect((await ask(caller)).status).toBe(200);
    await minute();
    const refused = await ask(caller);
    expect(refused).toMatchObject({ status: 409, problem: 'QUOTA_EXCEEDED' });
    const again = await ask(caller, first);
    expect([again.status, String(again.body)]).toEqual([200, String(answered.body)]);
    const removal = handlerOf(addressBooks.remove, async ({ subject }, { id }) => {
      subject(id);
      return { ok: true, id };
    });
    const input = { id: 'abk_1', force: false };
    const removed = ledger.request(addressBooks.remove, { caller, input });
    expect((await engine.handleRequest(removed, removal)).status).toBe(200);
    expect((await ask(keyCaller({ tenantId }))).status).toBe(200);
    expect((await ask(keyCaller())).status).toBe(200);
  });

  it('are bounded for a workspace, whichever key has them recorded', async () => {
    const { tenantId } = keyCaller();
    for (let n = 0; n < 4; n++) expect((await ask(keyCaller({ tenantId }))).status).toBe(200);
    await minute();
    expect(await ask(keyCaller({ tenantId }))).toMatchObject({ problem: 'QUOTA_EXCEEDED' });
    expect((await ask(keyCaller())).status).toBe(200);
  });
});
