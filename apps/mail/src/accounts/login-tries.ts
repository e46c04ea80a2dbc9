import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Keyring } from '@postroom/access';
import { Database, statement } from '@postroom/persistence';
import { loginTriesAnHour } from '../limits.js';
import { AccountFault } from './account-fault.js';

const refusedUntil = statement<{ until: Date | null }>(
  'accounts.login_refused_until',
  'SELECT login_refused_until($1, $2, $3) AS until',
);

const refuse = statement<object>('accounts.login_refused', 'SELECT login_refused($1, $2)');

/** A secret of a user at a server, or whatever else stands for one. */
export type Login = readonly [server: string, user: string, secret: string];

/** Keeps every process from trying a login more than three times an hour once it was refused. */
@Injectable()
export class LoginTries {
  private readonly key: Buffer;

  constructor(
    private readonly database: Database,
    keyring: Keyring,
  ) {
    this.key = keyring.derive('login-tries').current;
  }

  /** @throws AccountFault wrong_password when the tries of the hour are used */
  async require(tenantId: string, login: Login): Promise<void> {
    const values = [tenantId, this.named(login), loginTriesAnHour];
    const until = (await this.database.rows(refusedUntil, values, tenantId))[0]?.until ?? null;
    if (until === null) return;
    const text = `The server has refused this password ${loginTriesAnHour} times within an hour. It is not tried again before the hour is over, so that the provider does not lock the account.`;
    throw new AccountFault('wrong_password', text, until);
  }

  /** Counts a refusal. */
  async refused(tenantId: string, login: Login): Promise<void> {
    await this.database.rows(refuse, [tenantId, this.named(login)], tenantId);
  }

  private named(login: Login): string {
    return createHmac('sha256', this.key).update(JSON.stringify(login)).digest('base64url');
  }
}
