import { UnverifiedRecord, type Bus, type EventRecord, type Unsubscribe } from '@postroom/bus';
import { auditConsumer, eventConsumers, filesAudit } from '@postroom/contracts';
import { consumeOnce, type AuditRecorded, type AuditRecord } from '@postroom/operations';
import { statement, type Database } from '@postroom/persistence';
import { beginSealing, type ChainEnds } from './chain-ends.js';

const sealReceived = statement<object>(
  'access.seal_received',
  'SELECT seal_received($1, $2, $3, $4, $5)',
);
const receive = statement<object>('access.receive_audit', 'SELECT receive_audit($1, $2)');

/** Far less than the time for which the inbox remembers events. */
const freshMs = 24 * 3_600_000;

/**
 * Seals the audit records that other services send as internal events, once each even if an event is
 * delivered again. Records that cannot be sealed at once are put in the gateway's own queue: because
 * another gateway has the lock of the chain, the chain cannot be continued, or they are so old that the
 * inbox may not remember an earlier delivery.
 *
 * @param queued called when records were put in the queue
 */
export const receiveAudit = (
  bus: Bus,
  database: Database,
  ends: ChainEnds,
  queued: () => void,
): Promise<Unsubscribe> =>
  bus.subscribe(auditConsumer, eventConsumers[auditConsumer].groups, async (event: EventRecord) => {
    const { records } = JSON.parse(event.envelope) as AuditRecorded;
    requireOwn(event, records);
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

/** Nobody says what another service has done. @throws UnverifiedRecord */
function requireOwn({ publisher }: EventRecord, records: readonly AuditRecord[]): void {
  if (publisher === undefined) return;
  const foreign = records.find(({ action }) => !filesAudit(publisher, action));
  if (foreign) throw new UnverifiedRecord(`an audit record of ${foreign.action} by ${publisher}`);
}

const areFresh = (records: readonly AuditRecord[]): boolean =>
  records.length > 0 && records.every(({ at }) => Date.now() - Date.parse(at) < freshMs);
