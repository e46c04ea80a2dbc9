import { startAuditLoop, type AuditLoop, type AuditLoopOptions } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { emptyChain, type AuditChain, type AuditHead } from './audit-chain.js';
import { headOf, recordOf, type HeadRow, type RecordRow } from './audit-rows.js';

/** Records of one commit at most. */
const batchMax = 500;

const auditWaiting = statement<{ tenant_id: string }>(
  'access.audit_waiting',
  'SELECT tenant_id FROM audit_waiting()',
);
const beginSealing = statement<HeadRow>('access.begin_sealing', 'SELECT * FROM begin_sealing($1)');
const waitingAudit = statement<RecordRow>(
  'access.waiting_audit',
  'SELECT * FROM waiting_audit($1, $2)',
);
const sealAudit = statement<object>('access.seal_audit', 'SELECT seal_audit($1, $2, $3, $4, $5)');

/**
 * Appends audit records to the chains of their workspaces, in batches. Any number of gateways may do
 * it: one at a time has a workspace, for the length of a transaction. A chain whose head is not what
 * a sealer left there is not continued: its records wait, and verification says so.
 */
export function startSealer(options: AuditLoopOptions, chain: AuditChain): AuditLoop {
  const { database, log } = options;
  /** Workspaces whose chain cannot be continued: told once. */
  const broken = new Set<string>();

  /** Whether more may be waiting. */
  const seal = (tenantId: string): Promise<boolean> => {
    let last: unknown[] | undefined;
    return database.transaction(
      {
        // Read after the lease is taken: the second statement sees what its last holder left.
        begin: (rows) =>
          Promise.all([rows(beginSealing, [tenantId]), rows(waitingAudit, [tenantId, batchMax])]),
        commit: (rows) => (last ? [rows(sealAudit, last)] : []),
      },
      async (_transaction, [[state], records]) => {
        if (!state || records.length === 0) return false;
        const head = continued(tenantId, state);
        if (!head) return false;
        let { lastHash } = head;
        const hashes = records.map(
          (record) => (lastHash = chain.link(tenantId, lastHash, recordOf(record))),
        );
        const length = head.length + records.length;
        const mac = chain.headMac(tenantId, { length, lastHash });
        last = [tenantId, head.length, records.map(({ id }) => id), hashes, mac];
        return records.length === batchMax;
      },
    );
  };

  const continued = (tenantId: string, state: HeadRow): AuditHead | null => {
    const head = headOf(state);
    if (head ? chain.isGenuine(tenantId, head) : !state.begun) {
      broken.delete(tenantId);
      return head ?? emptyChain;
    }
    if (!broken.has(tenantId)) log.error({ tenantId }, 'audit chain without a genuine head');
    broken.add(tenantId);
    return null;
  };

  return startAuditLoop(options, async () => {
    const waiting = await database.rows(auditWaiting, []);
    let more = false;
    // One workspace's trouble is its own: the others are sealed all the same.
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
