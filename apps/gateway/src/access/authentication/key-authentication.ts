import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { parseApiKey, verifySecret, type KeyCaller, type ParsedApiKey } from '@postroom/access';
import { Database } from '@postroom/persistence';
import { AuthorizationLease } from './authorization-lease.js';
import { Authorizations, type Authorization, type Refused } from './authorizations.js';
import { callerOf, findKey, type KeyRow } from './key-rows.js';
import { WorkspaceDomains } from './workspace-domains.js';

/** An authorization of a key. */
export type KeyAuthorization = Authorization & { readonly caller: KeyCaller };

/** A key that was authenticated, and when it expires (`performance.now()`). */
interface CachedKey {
  readonly row: KeyRow;
  readonly found: KeyAuthorization;
  readonly endsAt: number;
}

/** If more keys than this are used within a second, the cache is cleared. */
const cachedMax = 10_000;

/**
 * Authenticates API keys. Only genuine keys are cached, under a lease, so that every cause of a 401
 * costs the same work (public-api.md §5.11).
 */
@Injectable()
export class KeyAuthentication {
  /** By the SHA-256 of the whole key. */
  private readonly cache = new Map<string, CachedKey>();
  /** By id, for calls in the name of a key that was authenticated before. */
  private readonly cacheById = new Map<string, CachedKey>();
  /** Look-ups under way of this term, by the SHA-256 of the whole key and the host. */
  private readonly reading = new Map<string, Promise<Authorization | Refused>>();
  /** A change of what keys may do waits for it. */
  readonly lease: AuthorizationLease;

  constructor(
    private readonly authorizations: Authorizations,
    private readonly domains: WorkspaceDomains,
    database: Database,
  ) {
    this.lease = new AuthorizationLease(database, () => {
      this.clear();
    });
  }

  async authenticate(presented: string | null, host: string): Promise<Authorization | Refused> {
    return this.cached(presented, host) ?? (await this.readOnce(presented, host));
  }

  /**
   * A burst of requests with a key that is not in memory looks it up once. Later callers may get the answer of
   * a look-up that began before them, as they might get a cached one: under a live lease, and of the same term.
   */
  private readOnce(presented: string | null, host: string): Promise<Authorization | Refused> {
    if (presented === null || !this.lease.live()) return this.read(presented, host);
    const name = `${hash('sha256', presented)} ${host}`;
    const underWay = this.reading.get(name);
    if (underWay) return underWay;
    const reading = this.read(presented, host).finally(() => {
      if (this.reading.get(name) === reading) this.reading.delete(name);
    });
    this.reading.set(name, reading);
    return reading;
  }

  /**
   * The rights of a key now, from memory under the lease or from the database; null for one that is
   * revoked or has expired.
   */
  async current(keyId: string): Promise<KeyAuthorization | null> {
    const known = this.lease.live() ? this.cacheById.get(keyId) : undefined;
    if (known && known.endsAt > performance.now()) return known.found;
    const term = this.lease.currentTerm();
    const readAt = performance.now();
    const [row] = await this.authorizations.find(findKey, keyId);
    if (!row?.alive) return null;
    const key = cachedKeyOf(row, readAt);
    if (this.lease.isSame(term)) this.storeById(key);
    return key.found;
  }

  /** A key that may have ended, from the database; null for one that never was. */
  async known(keyId: string): Promise<(KeyAuthorization & { readonly alive: boolean }) | null> {
    const [row] = await this.authorizations.find(findKey, keyId);
    return row ? { caller: callerOf(row), sendOpen: row.send_open, alive: row.alive } : null;
  }

  private cached(presented: string | null, host: string): Authorization | null {
    if (presented === null || !this.lease.live()) return null;
    const known = this.cache.get(hash('sha256', presented));
    if (!known || known.endsAt <= performance.now()) return null;
    return this.isServed(known.row, host) ? known.found : null;
  }

  private async read(presented: string | null, host: string): Promise<Authorization | Refused> {
    const parsed = parseApiKey(presented);
    const term = this.lease.currentTerm();
    const readAt = performance.now();
    const [row] = await this.authorizations.find(findKey, `key_${parsed.id}`);
    const genuine = verifySecret(parsed.secret, row?.secret_hash ?? null);
    if (!row) return { reason: reasonOfUnknown(presented, parsed), recognised: null };
    const reason = this.fault(row, genuine && parsed.wellFormed && row.kind === parsed.kind, host);
    if (reason !== null) return { reason, recognised: { tenantId: row.tenant_id, keyId: row.id } };
    const key = cachedKeyOf(row, readAt);
    if (this.lease.isSame(term)) this.store(presented, key);
    return key.found;
  }

  private store(presented: string | null, key: CachedKey): void {
    if (presented === null) return;
    if (this.cache.size >= cachedMax) this.clear();
    this.cache.set(hash('sha256', presented), key);
    this.storeById(key);
  }

  private storeById(key: CachedKey): void {
    if (this.cacheById.size >= cachedMax) this.clear();
    this.cacheById.set(key.row.id, key);
  }

  private clear(): void {
    this.cache.clear();
    this.cacheById.clear();
    this.reading.clear();
  }

  private fault(row: KeyRow, genuine: boolean, host: string): string | null {
    if (!genuine) return 'wrong secret';
    if (!row.alive) return 'revoked or expired';
    return this.isServed(row, host) ? null : 'domain of another workspace';
  }

  private isServed({ tenant_id: id, tenant_name: name }: KeyRow, host: string): boolean {
    return !this.domains.isRestricted || this.domains.serves(host, { id, name });
  }
}

const cachedKeyOf = (row: KeyRow, readAt: number): CachedKey => ({
  row,
  found: { caller: callerOf(row), sendOpen: row.send_open },
  endsAt: readAt + (row.lasts_ms ?? Infinity),
});

const reasonOfUnknown = (presented: string | null, { wellFormed }: ParsedApiKey): string => {
  if (presented === null) return 'missing';
  return wellFormed ? 'unknown' : 'malformed';
};
