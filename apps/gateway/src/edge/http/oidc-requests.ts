import { Injectable } from '@nestjs/common';
import { Problem } from '@postroom/contracts';
import { Budget, networkOwners, SlidingWindow } from '@postroom/limits';
import { limits, rates } from '../../limits.js';

/** Bounds what strangers have us ask of providers. */
@Injectable()
export class OidcRequests {
  private readonly places = new Budget(limits.oidcRequests);
  private readonly recent = new SlidingWindow(rates.oidcSignIns);

  /** @throws Problem RATE_LIMITED */
  requireRoom(clientAddress: string): void {
    const { network } = networkOwners(clientAddress);
    const { allowed, resetSeconds } = this.recent.take(network);
    if (allowed) return;
    throw new Problem('RATE_LIMITED', { headers: { 'retry-after': String(resetSeconds) } });
  }

  /** @throws LimitReached when too many are under way */
  runLimited<T>(clientAddress: string, work: () => Promise<T>): Promise<T> {
    return this.places.runInTurn(networkOwners(clientAddress), work, { waitMaxMs: 2_000 });
  }
}
