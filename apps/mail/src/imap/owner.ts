import { randomUUID } from 'node:crypto';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { startRounds } from '@postroom/concurrency';
import { Budget, LimitReached } from '@postroom/limits';
import { MessageParser } from '@postroom/mime';
import { logToken, UnitOfWork } from '@postroom/operations';
import { Database, statement } from '@postroom/persistence';
import type { Log } from '@postroom/service';
import { AccountLogins, type ImapLogin } from '../accounts/index.js';
import { MailConfig } from '../config.js';
import { InboundThread } from '../inbound/index.js';
import { limits } from '../limits.js';
import { MailMetrics } from '../mail-metrics.js';
import { MailServerTargets } from '../mailboxes/index.js';
import { ImapConnection } from './connection.js';
import { dial } from './dial.js';
import { faultOf } from './faults.js';
import { Ledger, LeaseLost, type LeasedMailbox } from './ledger.js';
import type { Sync } from './reading.js';
import { Session } from './session.js';
import { verdictsUnder } from './verdicts.js';

const everyMs = 1_000;
/** A lease lasts 30 s. */
const renewMs = 10_000;
/** Mailboxes that are taken at once, so that the replicas share them as they start. */
const takenAtOnce = 10;

const lease = statement<LeasedMailbox>(
  'imap.lease',
  `SELECT tenant_id AS "tenantId", mailbox_id AS "mailboxId", address, automation, turn
   FROM lease_syncs($1, $2)`,
);

const renew = statement<Pick<LeasedMailbox, 'mailboxId' | 'automation' | 'turn'>>(
  'imap.renew',
  'SELECT mailbox_id AS "mailboxId", automation, turn FROM renew_syncs($1, $2, $3, $4)',
);

const toChange = statement<{ mailboxId: string }>(
  'imap.mailboxes_to_change',
  'SELECT mailbox_id AS "mailboxId" FROM mailboxes_to_change($1)',
);

/** A mailbox that this process reads. */
interface Owned {
  readonly mailbox: LeasedMailbox;
  readonly stop: AbortController;
  ended: Promise<void>;
  session: Session | null;
}

/**
 * Reads the mailboxes that have accounts elsewhere, each in one process at a time. It runs beside the operations, where
 * logins and tokens are; the inbound thread stores history.
 */
@Injectable()
export class MailboxOwner implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly name = randomUUID();
  private readonly owned = new Map<string, Owned>();
  private readonly places: Budget<'workspace'>;
  private readonly histories: Budget<'workspace'>;
  private readonly arrivals = new Budget(limits.mailboxArrivals);
  private readonly bytes = new Budget(limits.mailboxBytes);
  private stop: () => Promise<void> = () => Promise.resolve();
  private renewAtMs = 0;

  constructor(
    private readonly database: Database,
    private readonly work: UnitOfWork,
    private readonly parser: MessageParser,
    private readonly inbound: InboundThread,
    private readonly targets: MailServerTargets,
    private readonly logins: AccountLogins,
    private readonly metrics: MailMetrics,
    @Inject(MailConfig) private readonly config: MailConfig,
    @Inject(logToken) private readonly log: Log,
  ) {
    this.places = new Budget(limits.mailboxesRead, config.mailboxesPerProcess);
    this.histories = new Budget(limits.mailboxHistories, config.imapHistoryShare);
  }

  onApplicationBootstrap(): void {
    this.metrics.watchMailboxes(this.database, () => {
      const all = [...this.owned.values()];
      return { all: all.length, connected: all.filter(({ session }) => session !== null).length };
    });
    if (this.config.mailboxesPerProcess === 0) return;
    this.stop = startRounds(() => this.round(), {
      everyMs,
      onFailure: (err) => this.log.warn({ err }, 'mailboxes: leases could not be had, retrying'),
    });
  }

  /** Gives back what it reads, so that another process goes on at once. */
  async onModuleDestroy(): Promise<void> {
    await this.stop();
    for (const { stop } of this.owned.values()) stop.abort();
    await Promise.all([...this.owned.values()].map(({ ended }) => ended));
  }

  private async round(): Promise<void> {
    if (performance.now() >= this.renewAtMs) {
      await this.renew();
      this.renewAtMs = performance.now() + renewMs;
    }
    if (this.owned.size > 0) {
      for (const { mailboxId } of await this.database.rows(toChange, [this.name])) {
        this.owned.get(mailboxId)?.session?.wake();
      }
    }
    const free = this.config.mailboxesPerProcess - this.owned.size;
    if (free <= 0) return;
    const leased = await this.database.rows(lease, [this.name, Math.min(free, takenAtOnce)]);
    for (const mailbox of leased) this.startReading(mailbox);
  }

  /** A mailbox that was lost meanwhile is not read on. */
  private async renew(): Promise<void> {
    if (this.owned.size === 0) return;
    const all = [...this.owned.values()].map(({ mailbox }) => mailbox);
    const kept = await this.hold(30, all);
    for (const { mailbox, stop } of this.owned.values()) {
      const { automation, turn } = kept.find((one) => one.mailboxId === mailbox.mailboxId) ?? {};
      // A changed automation switch holds for what arrives from now on: the session begins again.
      if (turn !== mailbox.turn || automation !== mailbox.automation) stop.abort();
    }
  }

  private startReading(mailbox: LeasedMailbox): void {
    const owned: Owned = {
      ...{ mailbox, stop: new AbortController(), session: null },
      ended: Promise.resolve(),
    };
    // One that was begun again while this process reads it still.
    const before = this.owned.get(mailbox.mailboxId);
    before?.stop.abort();
    this.owned.set(mailbox.mailboxId, owned);
    const reading = async (): Promise<void> => {
      await before?.ended;
      await this.places.runInTurn({ workspace: mailbox.tenantId }, () => this.read(owned));
    };
    owned.ended = reading()
      .catch((err: unknown) => {
        // Its lease is given back at once: one that waited would keep the place of another workspace.
        if (err instanceof LimitReached) return;
        this.log.warn({ err, mailbox: mailbox.address }, 'mailboxes: one is read again later');
      })
      .then(() => this.hold(0, [mailbox]).catch(() => undefined))
      .then(() => {
        if (this.owned.get(mailbox.mailboxId) === owned) this.owned.delete(mailbox.mailboxId);
      });
  }

  private hold(
    seconds: number,
    mailboxes: readonly LeasedMailbox[],
  ): Promise<Pick<LeasedMailbox, 'mailboxId' | 'automation' | 'turn'>[]> {
    const ids = mailboxes.map(({ mailboxId }) => mailboxId);
    const turns = mailboxes.map(({ turn }) => turn);
    return this.database.rows(renew, [this.name, seconds, ids, turns]);
  }

  private async read(owned: Owned): Promise<void> {
    const { mailbox, stop } = owned;
    const { signal } = stop;
    const ledger = new Ledger(this.work, mailbox);
    try {
      const [remote, login] = await this.open(mailbox, signal);
      try {
        const verdictsIn = verdictsUnder(login.host);
        const arrived = (at: Date | null): void => this.metrics.arrivedByImap(at);
        const store: Sync['store'] = (folder, came) =>
          this.inbound.store({ mailbox, folder, came });
        const { parser, bytes, config: quotas } = this;
        const sync = { remote, ledger, parser, store, bytes, quotas, verdictsIn, arrived };
        owned.session = new Session(sync, this.histories, this.arrivals, signal);
        await owned.session.syncUntilEnded();
      } finally {
        remote.close();
      }
    } catch (error) {
      if (signal.aborted || error instanceof LeaseLost) return;
      const fault = faultOf(error);
      this.log.info({ mailbox: mailbox.address, fault }, 'mailboxes: reading one was broken off');
      await ledger.change((changing) => ledger.fail(changing, fault));
    }
  }

  /** Signs in; with a token that was refused, once more with another. */
  private async open(
    of: LeasedMailbox,
    signal: AbortSignal,
  ): Promise<readonly [ImapConnection, ImapLogin]> {
    let refusedToken: string | null = null;
    for (;;) {
      const login = await this.logins.imap(of, refusedToken);
      try {
        return [new ImapConnection(await dial(this.targets.imap, login, signal)), login];
      } catch (error) {
        if (!isRefusedLogin(error)) throw error;
        await login.refused();
        if (login.accessToken === null || refusedToken !== null) throw error;
        refusedToken = login.accessToken;
      }
    }
  }
}

const isRefusedLogin = (error: unknown): boolean =>
  ['wrong_password', 'consent_expired'].includes(faultOf(error).code);
