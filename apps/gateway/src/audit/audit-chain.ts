import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { AuditRecord } from '@postroom/operations';

/** How long a chain is and how it ends. */
export interface AuditHead {
  readonly length: number;
  readonly lastHash: Buffer;
}

/** A head as it is kept: under an HMAC of its own. */
export interface KeptHead extends AuditHead {
  readonly mac: Buffer;
}

/** Where every chain begins. */
export const emptyChain: AuditHead = { length: 0, lastHash: Buffer.alloc(32) };

/**
 * The record as it is sealed: JSON with its keys in order and nothing else between them, so that
 * whoever has the key can make the same bytes from a line of the export. A key that a later version
 * adds is left out where it is null, and older entries stay what they were.
 */
const canonicalRecord = (tenantId: string, record: AuditRecord): string =>
  JSON.stringify({
    action: record.action,
    actor: { id: record.actorId, type: record.actorType },
    at: record.at,
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

  /** The HMAC that a head is kept under. */
  headMac(tenantId: string, { length, lastHash }: AuditHead): Buffer {
    const text = `head ${tenantId} ${length} ${lastHash.toString('hex')}`;
    return createHmac('sha256', this.key).update(text).digest();
  }

  isGenuine(tenantId: string, head: KeptHead): boolean {
    return equal(this.headMac(tenantId, head), head.mac);
  }
}

export const equal = (a: Buffer, b: Buffer): boolean =>
  a.length === b.length && timingSafeEqual(a, b);
