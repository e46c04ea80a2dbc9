import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@postroom/contracts';
import { statement, type Database, type Listener } from '@postroom/persistence';

/** Changes are notified on this channel. If a gateway misses one, the change waits for its lease to end. */
const channel = 'authorization_epoch';

/** The database grants a second from its answer; we count less, and from our question. */
const leaseMs = 900;
/** A lease in use is renewed when no more than this is left of it. */
const renewWithinMs = 500;

// bigint arrives as text.
const renewLease = statement<{ epoch: string }>(
  'access.renew_lease',
  'SELECT renew_lease($1, $2) AS epoch',
);
interface Outdated {
  epoch: string;
  outdated: boolean;
}
const outdatedLeases = statement<Outdated>(
  'access.outdated_leases',
  'SELECT * FROM outdated_leases($1)',
);

/**
 * A lease on cached authorizations (`decisions.md` §3). While it is live, a gateway may use what it has
 * read since the last change of a key, member or workspace; it lasts for a second. A change is answered
 * once every gateway with a live lease has cleared its cache or the lease has ended, so that no request
 * that begins after the answer is judged by earlier rights.
 */
export class AuthorizationLease {
  private readonly instance = randomUUID();
  private endsAt = -Infinity;
  /** The epoch of the last change for which the cache was cleared; at first none. */
  private clearedFor = '-1';
  private renewing = false;
  private renewAgain = false;
  private term = Symbol('term');

  /** @param clear clears the cache */
  constructor(
    private readonly database: Database,
    private readonly clear: () => void,
  ) {}

  /** Resolves once changes are received. */
  watch(listener: Listener): Promise<void> {
    return listener.listen(channel, () => {
      this.renew();
    });
  }

  /** True while the cache may be used. Each call keeps the lease alive; an idle gateway lets it end. */
  live(): boolean {
    const left = this.endsAt - performance.now();
    if (left < renewWithinMs) this.renew();
    return left > 0;
  }

  /** Called before a read, whose result may be cached if {@link isSame} is true of this term after it. */
  currentTerm(): symbol {
    return this.term;
  }

  isSame(term: symbol): boolean {
    return this.term === term;
  }

  /**
   * Waits until every change that is committed now is in force on every gateway: a second at most.
   * @throws Problem AUTHORIZATIONS_UNAVAILABLE when that cannot be known
   */
  async waitUntilInForce(): Promise<void> {
    let last = await this.outdated(null);
    for (let waitMs = 2; last?.outdated; waitMs = Math.min(waitMs * 2, 50)) {
      await sleep(waitMs);
      last = await this.outdated(last.epoch);
    }
  }

  private async outdated(epoch: string | null): Promise<Outdated | undefined> {
    try {
      return (await this.database.rows(outdatedLeases, [epoch]))[0];
    } catch (cause) {
      throw new Problem('AUTHORIZATIONS_UNAVAILABLE', { cause });
    }
  }

  /** Renews in the background. Errors are ignored: there is no lease then, and reads fail by themselves. */
  private renew(): void {
    this.renewAgain = this.renewing;
    if (this.renewing) return;
    this.renewing = true;
    this.request()
      .catch(() => undefined)
      .finally(() => {
        this.renewing = false;
        if (this.renewAgain) this.renew();
      });
  }

  private async request(): Promise<void> {
    const askedAt = performance.now();
    const [row] = await this.database.rows(renewLease, [this.instance, this.clearedFor]);
    if (!row) return;
    if (row.epoch === this.clearedFor) {
      this.endsAt = askedAt + leaseMs;
      return;
    }
    this.clear();
    this.term = Symbol('term');
    this.clearedFor = row.epoch;
    await this.request();
  }
}
