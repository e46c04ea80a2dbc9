import { startAuditLoop, type AuditLoop, type AuditLoopOptions } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { recordOf, type RecordRow } from './audit-rows.js';
import { beginSealing, type ChainEnds } from './chain-ends.js';

/** Records of one transaction at most. */
const batchMax = 500;

const auditWaiting = statement<{ tenant_id: string }>(
  'access.audit_waiting',
  'SELECT tenant_id FROM audit_waiting()',
);
const waitingAudit = statement<RecordRow>(
  'access.waiting_audit',
  'SELECT * FROM waiting_audit($1, $2)',
);
const sealAudit = statement<object>('access.seal_audit', 'SELECT seal_audit($1, $2, $3, $4, $5)');

/**
 * Appends queued audit records to the chains of their workspaces, in batches. Any number of gateways
 * may run it: a transaction locks the chain that it appends to.
 */
export function startSealer(options: AuditLoopOptions, ends: ChainEnds): AuditLoop {
  const { database } = options;

  /** @returns whether more records may be queued */
  const seal = (tenantId: string): Promise<boolean> => {
    let last: unknown[] | undefined;
    return database.transaction(
      {
        // The second statement runs after the lock was taken, and sees what its last holder committed.
        begin: (rows) =>
          Promise.all([rows(beginSealing, [tenantId]), rows(waitingAudit, [tenantId, batchMax])]),
        commit: (rows) => (last ? [rows(sealAudit, last)] : []),
      },
      async (_transaction, [[state], records]) => {
        if (!state || records.length === 0) return false;
        const head = ends.of(tenantId, state);
        if (!head) return false;
        const { hashes, mac } = ends.continued(tenantId, head, records.map(recordOf));
        last = [tenantId, head.length, records.map(({ id }) => id), hashes, mac];
        return records.length === batchMax;
      },
      tenantId,
    );
  };

  return startAuditLoop(options, async () => {
    const waiting = await database.rows(auditWaiting, []);
    let more = false;
    // The failure of one workspace does not stop the others.
    const failures: unknown[] = [];
    const failed = (error: unknown): false => {
      failures.push(error);
      return false;
    };
    for (const { tenant_id } of waiting) more = (await seal(tenant_id).catch(failed)) || more;
    if (failures.length > 0) throw new AggregateError(failures, 'audit records are not sealed');
    return more;
  });
}
