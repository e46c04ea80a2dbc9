import { Injectable } from '@nestjs/common';
import type { MailServer } from '@postroom/contracts';
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

type Stored = Pick<MailboxEntity, 'id' | 'imap'> &
  Pick<MailboxAccountEntity, 'kind'> & {
    /** Another mailbox reads the account: of two that were let in, the one with the lower id reads on. */
    readonly isElsewhere: boolean;
  };

const find = statement<Stored>(
  'accounts.find',
  `SELECT (f.mailbox).id, (f.mailbox).imap, (f.account).kind,
     coalesce(other.id < (f.mailbox).id OR other.id IS NOT NULL AND NOT is_let_in($1, $2), false) AS "isElsewhere"
   FROM account_of($1, $2) f, other_reader($1, $2, (f.mailbox).imap_login) AS other (id)
   WHERE (f.account).mailbox_id IS NOT NULL`,
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
    if (found.isElsewhere) {
      throw new AccountFault('connected_elsewhere', 'Another mailbox reads this account.');
    }
    const password = found.kind === 'oauth' ? null : (this.secrets.imapPassword(found) ?? '');
    return this.imapAt(of, found.imap, password, refusedToken);
  }

  /**
   * The login at a server that a mailbox may be read from.
   * @param password null where its provider gives tokens
   * @throws AccountFault
   */
  async imapAt(
    of: MailboxOf,
    { host, port, secure, user: name }: MailServer,
    password: string | null,
    refusedToken: string | null = null,
  ): Promise<ImapLogin> {
    const user = name ?? '';
    const secret =
      password === null
        ? { password, accessToken: await this.tokens.accessToken(of, refusedToken) }
        : { password, accessToken: null };
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
