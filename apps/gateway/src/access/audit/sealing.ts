import { UnverifiedRecord, type Bus, type EventRecord, type Unsubscribe } from '@postroom/bus';
import { auditConsumer, eventConsumers, filesAudit } from '@postroom/contracts';
import {
  consumeOnce,
  startAuditLoop,
  type AuditLoop,
  type AuditLoopOptions,
  type AuditRecord,
  type AuditRecorded,
} from '@postroom/operations';
import { statement, type Database } from '@postroom/persistence';
import type { Log } from '@postroom/service';
import { emptyChain, type AuditChain, type AuditHead } from './audit-chain.js';
import { headOf, recordOf, type HeadRow, type RecordRow } from './audit-rows.js';

/**
 * Seals the audit records of other services as they arrive, and the gateway's own.
 * @returns a function that stops it
 */
export async function startSealing(
  { bus, ...options }: AuditLoopOptions & { readonly bus: Bus },
  chain: AuditChain,
): Promise<Unsubscribe> {
  const ends = new ChainEnds(chain, options.log);
  const sealer = startSealer(options, ends);
  const stopReceiving = await receiveAudit(bus, options.database, ends, () => sealer.wake());
  return async () => {
    await stopReceiving();
    await sealer.stop();
  };
}

/** Locks a workspace's chain and returns its state; no row when another gateway has the lock. */
const beginSealing = statement<HeadRow>('access.begin_sealing', 'SELECT * FROM begin_sealing($1)');

/**
 * The ends at which the chains of workspaces are continued. A chain whose head is not genuine is not
 * continued: its records stay unsealed, which verification shows.
 */
export class ChainEnds {
  /** Workspaces whose chain cannot be continued, each logged once. */
  private readonly broken = new Set<string>();

  constructor(
    private readonly chain: AuditChain,
    private readonly log: Log,
  ) {}

  /** The end to continue at; null when the head is not genuine. */
  of(tenantId: string, state: HeadRow): AuditHead | null {
    const head = headOf(state);
    if (head ? this.chain.isGenuine(tenantId, head) : !state.begun) {
      this.broken.delete(tenantId);
      return head ?? emptyChain;
    }
    if (!this.broken.has(tenantId)) {
      this.log.error(
        { tenantId },
        'audit chain: the HMAC of its head is wrong, nothing more is sealed',
      );
    }
    this.broken.add(tenantId);
    return null;
  }

  /** The hashes of records that are appended at an end, and the HMAC of the new end. */
  continued(tenantId: string, { length, lastHash }: AuditHead, records: readonly AuditRecord[]) {
    let last = lastHash;
    const hashes = records.map((record) => (last = this.chain.link(tenantId, last, record)));
    const end = { length: length + records.length, lastHash: last };
    return { hashes, mac: this.chain.headMac(tenantId, end) };
  }
}

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

/** A service files audit records of its own actions only. @throws UnverifiedRecord */
function requireOwn({ publisher }: EventRecord, records: readonly AuditRecord[]): void {
  if (publisher === undefined) return;
  const foreign = records.find(({ action }) => !filesAudit(publisher, action));
  if (foreign) throw new UnverifiedRecord(`an audit record of ${foreign.action} by ${publisher}`);
}

const areFresh = (records: readonly AuditRecord[]): boolean =>
  records.length > 0 && records.every(({ at }) => Date.now() - Date.parse(at) < freshMs);

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
