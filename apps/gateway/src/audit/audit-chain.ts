import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { AuditRecord } from '@postroom/operations';

/** The length of a chain and its last hash. */
export interface AuditHead {
  readonly length: number;
  readonly lastHash: Buffer;
}

/** A head as it is stored, with an HMAC of its own. */
export interface StoredHead extends AuditHead {
  readonly mac: Buffer;
}

/** The head of a chain without entries. */
export const emptyChain: AuditHead = { length: 0, lastHash: Buffer.alloc(32) };

/**
 * The bytes of a record that are sealed: JSON with sorted keys and no blanks, so that whoever has the
 * key can reproduce them from a line of the export. A key that a later version adds must be left out
 * when it is null, so that older entries stay valid.
 */
const canonicalRecord = (tenantId: string, record: AuditRecord): string =>
  JSON.stringify({
    action: record.action,
    actor: { id: record.actorId, type: record.actorType },
    // Undefined is left out.
    approvedBy: record.approvedBy ?? undefined,
    at: record.at,
    durationMs: record.durationMs ?? undefined,
    id: record.id,
    requestId: record.requestId,
    source: record.source,
    subjectId: record.subjectId,
    tenantId,
  });

/** The HMACs of the chains (`decisions.md` §3): SHA-256 under `AUDIT_KEY`. */
export class AuditChain {
  private readonly key: KeyObject;

  constructor(key: string) {
    this.key = createSecretKey(Buffer.from(key));
  }

  /** `HMAC(previous hash ‖ canonical record)`. */
  link(tenantId: string, previous: Buffer, record: AuditRecord): Buffer {
    const canonical = canonicalRecord(tenantId, record);
    return createHmac('sha256', this.key).update(previous).update(canonical).digest();
  }

  /** The HMAC of a head. */
  headMac(tenantId: string, { length, lastHash }: AuditHead): Buffer {
    const text = `head ${tenantId} ${length} ${lastHash.toString('hex')}`;
    return createHmac('sha256', this.key).update(text).digest();
  }

  isGenuine(tenantId: string, head: StoredHead): boolean {
    return equal(this.headMac(tenantId, head), head.mac);
  }
}

export const equal = (a: Buffer, b: Buffer): boolean =>
  a.length === b.length && timingSafeEqual(a, b);
