import type { Bus, EventRecord, Unsubscribe } from '@postroom/bus';
import { auditConsumer } from '@postroom/contracts';
import { consumeOnce, type AuditRecorded, type AuditRecord } from '@postroom/operations';
import { statement, type Database } from '@postroom/persistence';
import { beginSealing, type ChainEnds } from './chain-ends.js';

const sealReceived = statement<object>(
  'access.seal_received',
  'SELECT seal_received($1, $2, $3, $4, $5)',
);
const receive = statement<object>('access.receive_audit', 'SELECT receive_audit($1, $2)');

/** Far less than the inbox keeps events for. */
const freshMs = 24 * 3_600_000;

/**
 * Seals the audit records that the internal events of other services bring, each once however often
 * its event comes. Those that cannot be sealed at once wait in the gateway's own queue: another gateway has the
 * workspace's lock, its chain cannot be continued, or the inbox may have purged that they came.
 *
 * @param queued called when there are some waiting
 */
export const receiveAudit = (
  bus: Bus,
  database: Database,
  ends: ChainEnds,
  queued: () => void,
): Promise<Unsubscribe> =>
  bus.subscribe(auditConsumer, ['audit'], async (event: EventRecord) => {
    const { records } = JSON.parse(event.envelope) as AuditRecorded;
    const outcome = { isQueued: false };
    await consumeOnce(database, auditConsumer, event, async ({ tenantId, rows }) => {
      const [state] = areFresh(records) ? await rows(beginSealing, []) : [];
      const head = state ? ends.of(tenantId, state) : null;
      outcome.isQueued = head === null;
      if (head) {
        const { hashes, mac } = ends.continued(tenantId, head, records);
        await rows(sealReceived, [head.length, JSON.stringify(records), hashes, mac]);
      } else {
        await rows(receive, [JSON.stringify(records)]);
      }
    });
    if (outcome.isQueued) queued();
  });

const areFresh = (records: readonly AuditRecord[]): boolean =>
  records.length > 0 && records.every(({ at }) => Date.now() - Date.parse(at) < freshMs);
