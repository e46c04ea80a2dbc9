import type { Bus, EventRecord, Unsubscribe } from '@postroom/bus';
import { auditConsumer } from '@postroom/contracts';
import { consumeOnce, type AuditNotice } from '@postroom/operations';
import { statement, type Database } from '@postroom/persistence';

const receive = statement<object>('access.receive_audit', 'SELECT receive_audit($1, $2)');

/**
 * Takes the audit records of the other services in, each once however often its notice comes.
 * @param received called when there are some to seal
 */
export const receiveAudit = (
  bus: Bus,
  database: Database,
  received: () => void,
): Promise<Unsubscribe> =>
  bus.subscribe(auditConsumer, ['audit'], async (notice: EventRecord) => {
    const { records } = JSON.parse(notice.envelope) as AuditNotice;
    await consumeOnce(database, auditConsumer, notice, async ({ rows }) => {
      await rows(receive, [JSON.stringify(records)]);
    });
    received();
  });
