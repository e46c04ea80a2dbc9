import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Asker } from '@postroom/access';
import { Problem } from '@postroom/contracts';
import { clientNetwork, clientSite, type DeclaredRate } from '@postroom/limits';
import { statement } from '@postroom/persistence';
import { rates } from '../../limits.js';
import { Authorizations } from './authorizations.js';

interface Counted {
  readonly names: readonly string[];
  readonly rates: readonly DeclaredRate[];
  readonly asker: Asker;
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

const isKnown = statement<{ known: boolean }>(
  'access.is_known_network',
  'SELECT is_known_network($1) AS known',
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
   * Checks a password within the limits.
   * @throws Problem RATE_LIMITED without checking it, AUTHORIZATIONS_UNAVAILABLE
   */
  async limited<T>(
    email: string,
    clientAddress: string,
    check: (asker: Asker) => Promise<T | null>,
  ): Promise<T | null> {
    const { asker, ...counted } = await this.counted(email, clientAddress);
    const found = await this.counting(counted, () => check(asker));
    if (found !== null) await this.remember(email, clientAddress);
    return found;
  }

  /**
   * Checks a password that a signed-in member gives, within a limit of its own.
   * @throws Problem RATE_LIMITED without checking it, AUTHORIZATIONS_UNAVAILABLE
   */
  async limitedOf<T>(memberId: string, check: () => Promise<T | null>): Promise<T | null> {
    const names = [hashed(`password of ${memberId}`)];
    return this.counting({ names, rates: [rates.failedPasswordChanges] }, check);
  }

  private async counting<T>(
    counted: Omit<Counted, 'asker'>,
    check: () => Promise<T | null>,
  ): Promise<T | null> {
    const began = await this.begin(counted);
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
  async remember(email: string, clientAddress: string): Promise<void> {
    // If it cannot be recorded, the account is guarded as from anywhere else.
    await this.authorizations
      .find(knowNetwork, pairOf(email, clientNetwork(clientAddress)))
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
    await this.begin({ names, rates: [rates.resetsOfAccount, rates.resets, rates.resetsOfSite] });
  }

  /** @returns when it began, as text, which keeps its microseconds */
  private async begin(counted: Omit<Counted, 'asker'>): Promise<string | undefined> {
    const most = counted.rates.map(({ perMinute }) => perMinute);
    const [begun] = await this.authorizations.find(beginSignIn, counted.names, most);
    if (begun?.wait_seconds == null) return begun?.began ?? undefined;
    const retryAfter = String(Math.ceil(begun.wait_seconds));
    throw new Problem('RATE_LIMITED', { headers: { 'retry-after': retryAfter } });
  }

  /** The names that an attempt counts under, the rate of each, and whose turn the check takes. */
  private async counted(email: string, clientAddress: string): Promise<Counted> {
    const network = clientNetwork(clientAddress);
    const pair = pairOf(email, network);
    const names = [pair, hashed(`address ${network}`)];
    const own = [rates.failedSignInsToAccountFromNetwork, rates.failedSignIns];
    const [found] = await this.authorizations.find(isKnown, pair);
    if (found?.known) return { names, rates: own, asker: { known: pair } };
    return {
      names: [...names, hashed(`account ${email}`)],
      rates: [...own, rates.failedSignInsToAccount],
      asker: { site: clientSite(network) },
    };
  }
}

/** Addresses of strangers are personal data, and are not stored. */
const hashed = (name: string): string => hash('sha256', name, 'base64url');

const pairOf = (email: string, network: string): string =>
  hashed(`account ${email} from ${network}`);
