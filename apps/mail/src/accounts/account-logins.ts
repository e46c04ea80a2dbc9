import { Injectable } from '@nestjs/common';
import { Database, statement } from '@postroom/persistence';
import {
  MailboxSecrets,
  type MailboxAccountEntity,
  type MailboxEntity,
} from '../mailboxes/index.js';
import {
  OutgoingLogins,
  type LoginSecret,
  type OutgoingAccount,
  type OutgoingLogin,
} from '../outgoing/index.js';
import { AccountFault } from './account-fault.js';
import { LoginTries, type Login } from './login-tries.js';
import { OAuthTokens, type MailboxOf } from './oauth-tokens.js';

/** All that is needed to log in to the server that a mailbox is read from. */
export interface ImapLogin {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise STARTTLS. */
  readonly secure: boolean;
  readonly user: string;
  /** One of the two is given. */
  readonly password: string | null;
  readonly accessToken: string | null;
  /** Counts that the server has refused it as wrong. */
  readonly refused: () => Promise<void>;
}

type Stored = Pick<MailboxEntity, 'id' | 'imap'> & Pick<MailboxAccountEntity, 'kind'>;

const find = statement<Stored>(
  'accounts.find',
  `SELECT (f.mailbox).id, (f.mailbox).imap, (f.account).kind
   FROM account_of($1, $2) f WHERE (f.account).mailbox_id IS NOT NULL`,
);

/** Logins at the servers of mailboxes, with their secrets opened. */
@Injectable()
export class AccountLogins implements OutgoingLogins {
  constructor(
    private readonly database: Database,
    private readonly secrets: MailboxSecrets,
    private readonly tries: LoginTries,
    private readonly tokens: OAuthTokens,
  ) {}

  /**
   * The login at the server that a mailbox is read from, for one attempt. It may ask a provider for a token: no
   * transaction is to be open.
   * @param refusedToken an access token that the server has just refused
   * @throws AccountFault
   */
  async imap(of: MailboxOf, refusedToken: string | null = null): Promise<ImapLogin> {
    const [found] = await this.database.rows(find, [of.tenantId, of.mailboxId], of.tenantId);
    if (!found?.imap) throw new AccountFault('no_account', 'The mailbox has no account.');
    const { host, port, secure } = found.imap;
    const user = found.imap.user ?? '';
    const secret =
      found.kind === 'oauth'
        ? { password: null, accessToken: await this.tokens.accessToken(of, refusedToken) }
        : { password: this.secrets.imapPassword(found) ?? '', accessToken: null };
    const login: Login = [host, user, secret.accessToken ?? secret.password];
    await this.tries.require(of.tenantId, login);
    const refused = (): Promise<void> => this.tries.refused(of.tenantId, login);
    return { host, port, secure, user, ...secret, refused };
  }

  /** The login at the server that a mailbox is sent through. */
  outgoing({ tenantId, mailboxId, host, user, password }: OutgoingAccount): OutgoingLogin {
    const of = { tenantId, mailboxId };
    const loginOf = (secret: LoginSecret): Login => [
      ...([host, user] as const),
      'password' in secret ? secret.password : secret.accessToken,
    ];
    return {
      user,
      secret: async (refusedToken) => {
        const secret: LoginSecret =
          password === null
            ? { accessToken: await this.tokens.accessToken(of, refusedToken) }
            : { password };
        await this.tries.require(tenantId, loginOf(secret));
        return secret;
      },
      refused: (secret) => this.tries.refused(tenantId, loginOf(secret)),
    };
  }
}
