import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { table } from '@postroom/contracts';
import { agentScopes, agentWrites, askFor, type ReadyWrite } from './agent-writes.js';
import { sharedProductFile } from './config.js';
import { type Change, changesBetween, StoredRows } from './stored-rows.js';
import { recordOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

/**
 * Tables that change without requests: leases, volumes, which are folded every minute, what gateways tell each
 * other of the requests they have counted, and what is old. Comments and recorded bytes are counted meanwhile, and
 * administrators are told of keys in use once a minute.
 */
const isByItself = ({ table: name, by, start }: Change): boolean =>
  /_leases$|\.outbox_shards$|\.held_locks$|\.told_requests$|\.volumes$/.test(name) ||
  name.endsWith('.recorded_bytes') ||
  (name.endsWith('.stream_events') && start.includes('key.used')) ||
  (name.endsWith('.quota_counters') && /,"?(comments|storedBytes|recordedBytes)/.test(start)) ||
  (/\.(volume_deltas|sign_in_attempts)$/.test(name) && by < 0);

describe('the writes of agents that wait', () => {
  let stored: StoredRows;
  let waits: OwnKey;
  let writes: ReturnType<typeof agentWrites>;

  beforeAll(async () => {
    stored = await StoredRows.of(sharedProductFile());
    const place = await Workplace.open('acme');
    const mailbox = await place.mailbox();
    const { book } = recordOf(await place.settings.post('/address-books', { name: randomUUID() }));
    const agent = { kind: 'agent', scopes: agentScopes, member: place.tenant.member.email };
    const direct = await place.keyFor(mailbox, { ...agent, approval: 'none' });
    waits = await place.keyFor(mailbox, { ...agent, approval: 'required' });
    const bookId = (book as { id: string }).id;
    writes = agentWrites({ place, mailbox, bookId, direct });
  });
  afterAll(() => stored.close());

  it('leave nothing in any table of any service but their approvals and what is told of them', async () => {
    const ready: ReadyWrite[] = [];
    for (const { id, approval } of table) {
      if (approval !== 'eligible') continue;
      const prepare = writes[id];
      if (!prepare) throw new Error(`how to ask for ${id} is missing in agent-writes.ts`);
      ready.push(await prepare(randomUUID()));
    }

    const before = await stored.settled(isByItself);
    for (const write of ready)
      expect((await askFor(waits, write, { 'Idempotency-Key': randomUUID() })).status).toBe(202);
    const after = await stored.settled(isByItself);

    const changes = changesBetween(before, after).filter((change) => !isByItself(change));
    const byTable = Map.groupBy(changes, ({ table: name, by }) => `${by > 0 ? '+' : '-'} ${name}`);
    const filed = ready.length;
    expect(Object.fromEntries([...byTable].map(([name, all]) => [name, all.length]))).toEqual({
      '+ access.approvals': filed,
      '+ access.audit_entries': filed,
      '+ access.stream_events': filed,
      // The end of the audit's chain, and when the key was used last.
      ...{ '- access.audit_heads': 1, '+ access.audit_heads': 1 },
      ...{ '- access.keys': 1, '+ access.keys': 1 },
      // Numbers are not given twice, also not those of inserts that are rolled back.
      ...{ '- access.stream_events_position_seq': 1, '+ access.stream_events_position_seq': 1 },
      ...{ '- mail.outbox_position_seq': 1, '+ mail.outbox_position_seq': 1 },
      ...{ '- scheduling.outbox_position_seq': 1, '+ scheduling.outbox_position_seq': 1 },
    });
  });
});
