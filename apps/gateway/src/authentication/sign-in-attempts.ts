import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Problem } from '@postroom/contracts';
import { statement } from '@postroom/persistence';
import { Authorizations } from './authorizations.js';
import { clientNetwork } from './client-network.js';

/** Failed sign-ins per minute (`decisions.md` §9): to one account, and from one client network. */
const limits = [10, 50];

/** One of the two is null; the time is text, which keeps its microseconds. */
interface Begun {
  readonly began: string | null;
  readonly wait_seconds: number | null;
}

const beginSignIn = statement<Begun>(
  'access.begin_sign_in',
  'SELECT began::text, wait_seconds FROM begin_sign_in($1, $2)',
);
const passSignIn = statement<object>('access.pass_sign_in', 'SELECT pass_sign_in($1, $2)');

/**
 * Limits failed sign-ins across all gateways. An attempt counts as failed when it begins, so that
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
    check: () => Promise<T | null>,
  ): Promise<T | null> {
    const names = [`account ${email}`, `address ${clientNetwork(clientAddress)}`].map(hashed);
    const [begun] = await this.authorizations.find(beginSignIn, names, limits);
    if (begun?.wait_seconds != null) throw tooMany(begun.wait_seconds);
    let failed = false;
    try {
      const found = await check();
      failed = found === null;
      return found;
    } finally {
      // If it cannot be removed it counts for a minute, which is no reason to refuse the sign-in.
      if (!failed) {
        await this.authorizations.find(passSignIn, names, begun?.began).catch(() => undefined);
      }
    }
  }
}

/** Addresses of strangers are personal data, and are not stored. */
const hashed = (name: string): string => hash('sha256', name, 'base64url');

const tooMany = (seconds: number): Problem =>
  new Problem('RATE_LIMITED', { headers: { 'retry-after': String(Math.ceil(seconds)) } });
