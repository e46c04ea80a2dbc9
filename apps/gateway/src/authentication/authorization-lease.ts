import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@postroom/contracts';
import { statement, type Database, type Listener } from '@postroom/persistence';

/** Changes are told on this channel; a gateway that misses one is waited for until its lease ends. */
const channel = 'authorization_epoch';

/** The database leases for a second from when it answers; we count a little less, from when we ask. */
const leaseMs = 900;
/** A lease that is used is renewed while this much of it is left. */
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
 * The right to answer from memory who asks (`decisions.md` §3): it lasts a second, and only for what
 * was read since the last change of a key, member or workspace. A change is answered when every live
 * lease has forgotten what was read before it, or has run out; so no request that begins after the
 * answer is judged by what was true before.
 */
export class AuthorizationLease {
  private readonly instance = randomUUID();
  private endsAt = -Infinity;
  /** The change up to which the memory was emptied; no epoch before the first answer. */
  private clearedEpoch = '-1';
  private renewing = false;
  private renewAgain = false;
  private term = Symbol('term');

  /** `forget` empties the memory that the lease is for. */
  constructor(
    private readonly database: Database,
    private readonly forget: () => void,
  ) {}

  /** Resolves once changes are heard of. */
  watch(listener: Listener): Promise<void> {
    return listener.listen(channel, () => {
      this.renew();
    });
  }

  /** Whether memory may answer now. Asking keeps the lease alive; nobody asking lets it end. */
  live(): boolean {
    const left = this.endsAt - performance.now();
    if (left < renewWithinMs) this.renew();
    return left > 0;
  }

  /** What is read from now on may be remembered, while {@link isSame} says so of this. */
  begin(): symbol {
    return this.term;
  }

  isSame(term: symbol): boolean {
    return this.term === term;
  }

  /**
   * Waits until no gateway answers any more from before what is committed now: a second at most.
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

  /** In the background: a database that cannot be asked gives no lease, and whoever reads it says so. */
  private renew(): void {
    this.renewAgain = this.renewing;
    if (this.renewing) return;
    this.renewing = true;
    this.ask()
      .catch(() => undefined)
      .finally(() => {
        this.renewing = false;
        if (this.renewAgain) this.renew();
      });
  }

  private async ask(): Promise<void> {
    const askedAt = performance.now();
    const [row] = await this.database.rows(renewLease, [this.instance, this.clearedEpoch]);
    if (!row) return;
    if (row.epoch === this.clearedEpoch) {
      this.endsAt = askedAt + leaseMs;
      return;
    }
    this.forget();
    this.term = Symbol('term');
    this.clearedEpoch = row.epoch;
    await this.ask();
  }
}
