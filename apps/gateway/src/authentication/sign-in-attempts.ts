import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Problem } from '@postroom/contracts';
import { statement } from '@postroom/persistence';
import { Authorizations } from './authorizations.js';
import { clientNetwork } from './client-network.js';

/** Failed sign-ins a minute (`decisions.md` §9): into one account, and from one client's address. */
const limits = [10, 50];

/** One of the two is null; the time is a text, of all the digits it has. */
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
 * Refuses sign-ins where too many have failed, at whichever gateway. One under way counts as failed, so
 * that many at once are no way around the limit; a success is taken out again.
 */
@Injectable()
export class SignInAttempts {
  constructor(private readonly authorizations: Authorizations) {}

  /**
   * Runs the check of a password.
   * @throws Problem RATE_LIMITED in place of running it, AUTHORIZATIONS_UNAVAILABLE
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
      // One that cannot be taken out counts for a minute more, and is no reason to refuse a success.
      if (!failed) {
        await this.authorizations.find(passSignIn, names, begun?.began).catch(() => undefined);
      }
    }
  }
}

/** The addresses of strangers are nothing to keep. */
const hashed = (name: string): string => hash('sha256', name, 'base64url');

const tooMany = (seconds: number): Problem =>
  new Problem('RATE_LIMITED', { headers: { 'retry-after': String(Math.ceil(seconds)) } });
