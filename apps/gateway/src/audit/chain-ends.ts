import type { AuditRecord } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import type { Log } from '@postroom/service';
import { emptyChain, type AuditChain, type AuditHead } from './audit-chain.js';
import { headOf, type HeadRow } from './audit-rows.js';

/** Locks a workspace's chain and returns its state; no row when another gateway has the lock. */
export const beginSealing = statement<HeadRow>(
  'access.begin_sealing',
  'SELECT * FROM begin_sealing($1)',
);

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
