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
 * The bytes of a record that are sealed: JSON with sorted keys and no blanks, so that a reader with the
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

/** A key of the audit. */
interface AuditKey {
  /** Its name in the database: sixteen characters that reveal nothing of it. */
  readonly id: string;
  readonly key: KeyObject;
}

function auditKey(text: string): AuditKey {
  const key = createSecretKey(Buffer.from(text));
  const id = createHmac('sha256', key).update('postroom/audit-key-id').digest('base64url');
  return { id: id.slice(0, 16), key };
}

/**
 * The HMACs of the chains (`decisions.md` §3): SHA-256 under `AUDIT_KEY`. After a change of key it has several:
 * the first makes new HMACs, and an HMAC is genuine that any of them has made.
 */
export class AuditChain {
  private readonly current: AuditKey;
  private readonly keys: readonly AuditKey[];

  /** @param setting the keys, separated by commas */
  constructor(setting: string) {
    const [first = '', ...older] = setting.split(',').map((text) => text.trim());
    this.current = auditKey(first);
    this.keys = [this.current, ...older.map(auditKey)];
  }

  /** The ids of its keys, the one that makes new HMACs first. */
  get keyIds(): readonly string[] {
    return this.keys.map(({ id }) => id);
  }

  /** `HMAC(previous hash ‖ canonical record)`. */
  link(tenantId: string, previous: Buffer, record: AuditRecord): Buffer {
    return linkUnder(this.current, previous, canonicalRecord(tenantId, record));
  }

  /** Checks that a hash is that of a record after the previous hash. */
  isLink(tenantId: string, previous: Buffer, record: AuditRecord, hash: Buffer): boolean {
    const canonical = canonicalRecord(tenantId, record);
    return this.keys.some((key) => equal(linkUnder(key, previous, canonical), hash));
  }

  /** The HMAC of a head. */
  headMac(tenantId: string, head: AuditHead): Buffer {
    return headUnder(this.current, tenantId, head);
  }

  isGenuine(tenantId: string, head: StoredHead): boolean {
    return this.keyIdOf(tenantId, head) !== null;
  }

  /** The id of the key that has made a head; null when none of these has. */
  keyIdOf(tenantId: string, head: StoredHead): string | null {
    const found = this.keys.find((key) => equal(headUnder(key, tenantId, head), head.mac));
    return found?.id ?? null;
  }
}

const linkUnder = ({ key }: AuditKey, previous: Buffer, canonical: string): Buffer =>
  createHmac('sha256', key).update(previous).update(canonical).digest();

const headUnder = ({ key }: AuditKey, tenantId: string, { length, lastHash }: AuditHead): Buffer =>
  createHmac('sha256', key)
    .update(`head ${tenantId} ${length} ${lastHash.toString('hex')}`)
    .digest();

export const equal = (a: Buffer, b: Buffer): boolean =>
  a.length === b.length && timingSafeEqual(a, b);
