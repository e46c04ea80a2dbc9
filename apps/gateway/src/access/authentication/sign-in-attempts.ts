import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Asker } from '@postroom/access';
import { Problem } from '@postroom/contracts';
import { clientNetwork, clientSite, type DeclaredRate } from '@postroom/limits';
import { statement } from '@postroom/persistence';
import { rates } from '../../limits.js';
import { Authorizations } from './authorizations.js';

/** The names that an attempt counts under, and the rate of each. */
interface Counted {
  readonly names: readonly string[];
  readonly rates: readonly DeclaredRate[];
}

/** A sign-in, and the members whose passwords it may be judged by. */
export interface Attempted {
  readonly email: string;
  readonly clientAddress: string;
  readonly memberIds: readonly string[];
}

/** One of the two is null. */
interface Attempt {
  readonly began: string | null;
  readonly wait_seconds: number | null;
}

const beginSignIn = statement<Attempt>(
  'access.begin_sign_in',
  'SELECT began::text, wait_seconds FROM begin_sign_in($1, $2)',
);
const passSignIn = statement<object>('access.pass_sign_in', 'SELECT pass_sign_in($1, $2)');

const knownOf = statement<{ name: string }>(
  'access.known_networks',
  'SELECT name FROM known_networks_of($1) AS name',
);
const knowNetwork = statement<object>('access.know_network', 'SELECT know_network($1)');

/**
 * Limits failed sign-ins across all gateways. Strangers, however many, cannot keep a member out of an
 * account that signs in from where it has before: what is tried elsewhere does not count there. An attempt counts as failed when it begins, so that
 * concurrent ones cannot pass the limit, and is removed when it succeeds.
 */
@Injectable()
export class SignInAttempts {
  constructor(private readonly authorizations: Authorizations) {}

  /**
   * Checks a password within the limits: first of the members who have signed in from that network, then, as a stranger's,
   * of the others with the address.
   * @param check tries the password of these members
   * @throws Problem RATE_LIMITED without checking it, AUTHORIZATIONS_UNAVAILABLE
   */
  async limited<T>(
    { email, clientAddress, memberIds }: Attempted,
    check: (memberIds: readonly string[], asker: Asker) => Promise<T | null>,
  ): Promise<T | null> {
    const network = clientNetwork(clientAddress);
    const pair = hashed(`account ${email} from ${network}`);
    const here = {
      names: [pair, hashed(`address ${network}`)],
      rates: [rates.failedSignInsToAccountFromNetwork, rates.failedSignIns],
    };
    const anywhere = {
      names: [hashed(`account ${email}`)],
      rates: [rates.failedSignInsToAccount],
    };
    const asStranger = (ids: readonly string[]) => check(ids, { site: clientSite(network) });
    const known = await this.knownAt(network, memberIds);
    if (known.length === 0) {
      const names = [...here.names, ...anywhere.names];
      const all = { names, rates: [...here.rates, ...anywhere.rates] };
      return this.counting(all, () => asStranger(memberIds));
    }
    const others = memberIds.filter((id) => !known.includes(id));
    const found = await this.counting(here, () => check(known, { known: pair }));
    if (found !== null || others.length === 0) return found;
    return this.counting(anywhere, () => asStranger(others));
  }

  private async knownAt(network: string, memberIds: readonly string[]): Promise<string[]> {
    const names = memberIds.map((id) => memberAt(id, network));
    const found = await this.authorizations.find(knownOf, names);
    const known = new Set(found.map(({ name }) => name));
    return memberIds.filter((_, i) => known.has(names[i] ?? ''));
  }

  /**
   * Checks a password that a signed-in member gives, within a limit of its own.
   * @throws Problem RATE_LIMITED without checking it, AUTHORIZATIONS_UNAVAILABLE
   */
  async limitedOf<T>(memberId: string, check: () => Promise<T | null>): Promise<T | null> {
    const names = [hashed(`password of ${memberId}`)];
    return this.counting({ names, rates: [rates.failedPasswordChanges] }, check);
  }

  private async counting<T>(counted: Counted, check: () => Promise<T | null>): Promise<T | null> {
    const began = await this.countAttempt(counted);
    let failed = false;
    try {
      const found = await check();
      failed = found === null;
      return found;
    } finally {
      // If it cannot be removed it counts for a minute, which is no reason to refuse the sign-in.
      if (!failed) {
        await this.authorizations.find(passSignIn, counted.names, began).catch(() => undefined);
      }
    }
  }

  /** Records the network that a member has signed in from. */
  async remember(memberId: string, clientAddress: string): Promise<void> {
    // If it cannot be recorded, the account is guarded as from anywhere else.
    await this.authorizations
      .find(knowNetwork, memberAt(memberId, clientNetwork(clientAddress)))
      .catch(() => undefined);
  }

  /** Counts a request for a reset link. @throws Problem RATE_LIMITED, AUTHORIZATIONS_UNAVAILABLE */
  async countReset(email: string, clientAddress: string): Promise<void> {
    const network = clientNetwork(clientAddress);
    const names = [
      `reset of ${email}`,
      `resets from ${network}`,
      `resets from the site ${clientSite(network)}`,
    ].map(hashed);
    await this.countAttempt({
      names,
      rates: [rates.resetsOfAccount, rates.resets, rates.resetsOfSite],
    });
  }

  /** @returns when it began, as text, which keeps its microseconds */
  private async countAttempt(counted: Counted): Promise<string | undefined> {
    const most = counted.rates.map(({ perMinute }) => perMinute);
    const [begun] = await this.authorizations.find(beginSignIn, counted.names, most);
    if (begun?.wait_seconds == null) return begun?.began ?? undefined;
    const retryAfter = String(Math.ceil(begun.wait_seconds));
    throw new Problem('RATE_LIMITED', { headers: { 'retry-after': retryAfter } });
  }
}

/** Addresses of strangers are personal data, and are not stored. */
const hashed = (name: string): string => hash('sha256', name, 'base64url');

const memberAt = (memberId: string, network: string): string =>
  hashed(`member ${memberId} from ${network}`);
