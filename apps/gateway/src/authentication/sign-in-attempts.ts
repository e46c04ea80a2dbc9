import { Injectable } from '@nestjs/common';
import { Problem } from '@postroom/contracts';

const windowMs = 60_000;

/** Failed sign-ins a minute (`decisions.md` §9): into one account, and from one client's address. */
const perAccount = 10;
const perAddress = 50;

/** Accounts and addresses remembered; past it the one that was tried longest ago starts anew. */
const namesMax = 100_000;

/**
 * Refuses sign-ins where too many have failed. One under way counts as failed, so that many at once
 * are no way around the limit; a success is taken out again.
 */
@Injectable()
export class SignInAttempts {
  /** By account or address: the times of its attempts, oldest first. */
  private readonly timesByName = new Map<string, number[]>();

  /** Runs the check of a password. @throws Problem RATE_LIMITED, in place of running it */
  async limited<T>(
    email: string,
    clientAddress: string,
    check: () => Promise<T | null>,
  ): Promise<T | null> {
    const now = performance.now();
    const counted = [
      this.withRoom(`account ${email}`, perAccount, now),
      this.withRoom(`address ${clientAddress}`, perAddress, now),
    ];
    for (const times of counted) times.push(now);
    let failed = false;
    try {
      const found = await check();
      failed = found === null;
      return found;
    } finally {
      if (!failed) for (const times of counted) remove(times, now);
    }
  }

  private withRoom(name: string, limit: number, now: number): number[] {
    const times = this.timesByName.get(name) ?? [];
    while ((times[0] ?? now) <= now - windowMs) times.shift();
    this.touch(name, times);
    if (times.length < limit) return times;
    const seconds = Math.ceil(((times[0] ?? now) + windowMs - now) / 1000);
    throw new Problem('RATE_LIMITED', { headers: { 'retry-after': String(seconds) } });
  }

  private touch(name: string, times: number[]): void {
    this.timesByName.delete(name);
    this.timesByName.set(name, times);
    const [longestAgo = name] = this.timesByName.keys();
    if (this.timesByName.size > namesMax) this.timesByName.delete(longestAgo);
  }
}

function remove(times: number[], time: number): void {
  const index = times.indexOf(time);
  if (index >= 0) times.splice(index, 1);
}
