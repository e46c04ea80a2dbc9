import { Inject, Injectable } from '@nestjs/common';
import type { AccountTest, AccountTestStep, MailServer } from '@postroom/contracts';
import { Budget } from '@postroom/limits';
import { dial } from '@postroom/outbound';
import { AccountFault, AccountLogins, type ImapLogin, type MailboxOf } from '../accounts/index.js';
import { MailConfig } from '../config.js';
import { dial as dialImap, ImapConnection } from '../imap/index.js';
import { limits } from '../limits.js';
import { MailServerTargets } from '../mailboxes/index.js';
import { NoConnection, SmtpConnections } from '../outgoing/index.js';
import { advice, isOfLogin, serverFaultOf } from './account-advice.js';

/** A server to be tried, with the password; null: its provider gives tokens, or no login is needed. */
export interface TestedServer extends MailServer {
  readonly password: string | null;
}

export interface TestedAccount {
  /** Another mailbox reads the account; reported only after a successful login. */
  readonly isReadElsewhere: boolean;
  readonly imap: TestedServer | null;
  readonly outgoing: TestedServer | null;
}

/** A step that answers what is to be told of it; `skipped` where it could not be tried. */
interface Step extends Pick<AccountTestStep, 'step' | 'tried'> {
  readonly run: () => Promise<string | null | typeof skipped>;
}

const skipped = Symbol('skipped');
/** All steps at both servers. */
const testMs = 20_000;

/** Tries accounts, one step after the other at each of their servers. */
@Injectable()
export class AccountTests {
  private readonly places = new Budget(limits.accountTests);

  constructor(
    private readonly logins: AccountLogins,
    private readonly targets: MailServerTargets,
    @Inject(MailConfig) private readonly config: MailConfig,
  ) {}

  /** @throws LimitReached */
  async testAccount(
    of: MailboxOf,
    { imap, outgoing, isReadElsewhere }: TestedAccount,
  ): Promise<AccountTest> {
    return this.places.runInTurn({ workspace: of.tenantId }, async () => {
      const signal = AbortSignal.timeout(testMs);
      const tests = await Promise.all([
        imap ? this.imap(of, imap, isReadElsewhere, signal) : [],
        outgoing ? this.outgoing(of, outgoing, signal) : [],
      ]);
      const steps = tests.flat();
      return { ok: steps.every(({ outcome }) => outcome === 'ok'), steps };
    });
  }

  private async imap(
    of: MailboxOf,
    server: TestedServer,
    isReadElsewhere: boolean,
    signal: AbortSignal,
  ): Promise<AccountTestStep[]> {
    const opening = once(() => this.openImap(of, server, signal));
    const steps: readonly Step[] = [
      this.connecting('imap', server, signal),
      encrypting(server, async () => (await opening()).isEncrypted),
      {
        ...{ step: 'login', tried: loginOf(server) },
        run: async () => {
          await opening();
          if (!isReadElsewhere) return null;
          throw new AccountFault('connected_elsewhere', 'Another mailbox reads this account.');
        },
      },
      {
        ...{ step: 'inbox', tried: 'List the folders, and open the inbox.' },
        run: async () => inboxOf(await opening()),
      },
    ];
    try {
      return await walk('imap', server, steps);
    } finally {
      void opening().then(
        (remote) => remote.close(),
        () => undefined,
      );
    }
  }

  private async outgoing(
    of: MailboxOf,
    server: TestedServer,
    signal: AbortSignal,
  ): Promise<AccountTestStep[]> {
    const opening = once(() => this.openSmtp(of, server));
    return walk('outgoing', server, [
      this.connecting('outgoing', server, signal),
      encrypting(server, opening),
      {
        ...{ step: 'login', tried: loginOf(server) },
        run: () => opening().then(() => null),
      },
    ]);
  }

  private connecting(
    which: 'imap' | 'outgoing',
    { host, port }: TestedServer,
    signal: AbortSignal,
  ): Step {
    return {
      ...{ step: 'connect', tried: `Connect to ${host}, port ${port}.` },
      run: async () => {
        const socket = await dial(this.targets[which], { host, port }, signal);
        socket.on('error', () => undefined).destroy();
        return null;
      },
    };
  }

  private async openImap(
    of: MailboxOf,
    server: TestedServer,
    signal: AbortSignal,
  ): Promise<ImapConnection> {
    const login: ImapLogin = await this.logins.imapAt(of, server, server.password);
    try {
      return new ImapConnection(await dialImap(this.targets.imap, login, signal));
    } catch (error) {
      if (refusals.has(serverFaultOf(error).code)) await login.refused();
      throw error;
    }
  }

  /** @returns whether the connection was encrypted */
  private async openSmtp(of: MailboxOf, { password, ...server }: TestedServer): Promise<boolean> {
    const { user, host } = server;
    const login = user === null ? null : this.logins.outgoing({ ...of, host, user, password });
    const asked = { ...server, login, sharedBy: null, isGuarded: true };
    // Kept for no other message, so its server is logged in to each time.
    const connections = new SmtpConnections(1, this.config.smtpHostname, this.targets.outgoing);
    const turn = { workspace: of.tenantId, untilMs: Date.now() + testMs };
    return connections.withConnection(asked, turn, ({ secure }) =>
      Promise.resolve({ value: secure, then: 'close' }),
    );
  }
}

/** Refusals of the secret itself. */
const refusals: ReadonlySet<string> = new Set(['wrong_password', 'consent_expired']);

const encrypting = ({ secure }: TestedServer, isEncrypted: () => Promise<boolean>): Step => ({
  ...{ step: 'tls', tried: secure ? 'Begin with TLS.' : 'Begin TLS by STARTTLS.' },
  run: async () => {
    try {
      if (await isEncrypted()) return null;
      return 'The connection is not encrypted: the operator allows that for this address.';
    } catch (error) {
      if (!isOfLogin(error)) throw error;
      return wasTried(error) ? null : skipped;
    }
  },
});

/** Without a secret there is no connection. */
const wasTried = (error: unknown): boolean =>
  !((error instanceof NoConnection ? error.cause : error) instanceof AccountFault);

const loginOf = ({ user, password }: TestedServer): string => {
  if (user === null) return 'Go on without a login: no user is given.';
  return `Log in as ${user}, with ${password === null ? 'a token of the provider' : 'the password'}.`;
};

async function inboxOf(remote: ImapConnection): Promise<string> {
  const folders = await remote.list();
  const inbox = folders.find(({ role }) => role === 'inbox');
  if (!inbox) throw new Error('The server lists no inbox.');
  const { numbers } = await remote.changes(inbox.path, null, new Date());
  const named = folders.filter(({ role }) => !['inbox', 'other'].includes(role));
  const others = named.map(({ path }) => path).join(', ') || 'none';
  const messages = numbers.counted === 1 ? '1 message' : `${numbers.counted} messages`;
  return `${messages}; other folders of use: ${others}`;
}

/** Goes the steps in order, as far as they lead. */
async function walk(
  server: 'imap' | 'outgoing',
  { password }: TestedServer,
  steps: readonly Step[],
): Promise<AccountTestStep[]> {
  const told: AccountTestStep[] = [];
  let isOver = false;
  for (const { step, tried, run } of steps) {
    const line = { server, step, tried, said: null, code: null, advice: null };
    if (isOver) {
      told.push({ ...line, outcome: 'skipped' });
      continue;
    }
    try {
      const said = await run();
      if (said === skipped) told.push({ ...line, outcome: 'skipped' });
      else told.push({ ...line, outcome: 'ok', said: said && bounded(said, password) });
    } catch (error) {
      isOver = true;
      const { code, said } = serverFaultOf(error);
      const text = said && bounded(said, password);
      told.push({ ...line, outcome: 'failed', code, said: text, advice: advice[code] });
    }
  }
  return told;
}

/** A server may repeat the secret that it was given. */
const bounded = (said: string, password: string | null): string =>
  (password ? said.replaceAll(password, '…') : said).slice(0, 200).toWellFormed();

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let begun: Promise<T> | null = null;
  return () => (begun ??= work());
}
