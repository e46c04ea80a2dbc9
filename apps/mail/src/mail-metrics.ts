import { Problem } from '@postroom/contracts';
import { statement, type Database } from '@postroom/persistence';
import type { Metrics } from '@postroom/service';
import { smtpOutcomes, type SmtpOutcome } from './inbound/index.js';

/** The outcomes of sends that are no repeats. */
const sendOutcomes = ['sent', 'refused', 'unavailable', 'unknown', 'withheld', 'failed'] as const;
type SendOutcome = (typeof sendOutcomes)[number];

const outcomeOfProblem: Readonly<Record<string, SendOutcome>> = {
  RECIPIENTS_REFUSED: 'refused',
  MESSAGE_REFUSED: 'refused',
  OUTGOING_REFUSED: 'refused',
  OUTGOING_UNAVAILABLE: 'unavailable',
  DLP_BLOCKED: 'withheld',
  DLP_WARNING: 'withheld',
};

const countSyncs = statement<{ state: string; mailboxes: number }>(
  'imap.count_syncs',
  'SELECT state, mailboxes::float8 AS mailboxes FROM count_syncs()',
);

const countChanges = statement<{ state: string; changes: number }>(
  'imap.count_remote_changes',
  'SELECT state, changes::float8 AS changes FROM count_remote_changes()',
);

/** Counts the mail that comes and leaves in this process. */
export class MailMetrics {
  private readonly count;
  private readonly countBounce;
  private readonly countSend;
  private lastArrivalMs = performance.now();
  private readonly lag;

  constructor(private readonly metrics: Metrics) {
    this.count = metrics.counter({
      name: 'postroom_smtp_messages_total',
      help: 'Messages by SMTP and LMTP, one for each recipient, by what became of them.',
      labelNames: ['outcome'],
    });
    this.countBounce = metrics.counter({
      name: 'postroom_bounces_total',
      help: 'Delivery reports that have arrived.',
    });
    this.countSend = metrics.counter({
      name: 'postroom_sends_total',
      help: 'Sends, repeats not counted, by what became of them.',
      labelNames: ['outcome'],
    });
    this.lag = metrics.histogram(
      {
        name: 'postroom_mailbox_lag_seconds',
        help: 'Time from the arrival of new mail at an account elsewhere until it is stored here.',
      },
      [1, 2, 5, 15, 60, 300, 3600],
    );
    metrics.gauge(
      {
        name: 'postroom_smtp_last_arrival_age_seconds',
        help: 'Time since mail has arrived, or since the start if none has.',
      },
      () => [{ value: (performance.now() - this.lastArrivalMs) / 1_000 }],
    );
    // A rate needs a value before the first one.
    for (const outcome of smtpOutcomes) this.count({ outcome }, 0);
    for (const outcome of sendOutcomes) this.countSend({ outcome }, 0);
    this.countBounce({}, 0);
  }

  /** A recipient was refused, or a message was stored or refused for one. */
  received(outcome: SmtpOutcome | 'bounce'): void {
    if (outcome === 'bounce') return this.countBounce();
    if (outcome === 'accepted') this.lastArrivalMs = performance.now();
    this.count({ outcome });
  }

  /** New mail that was read from an account elsewhere is stored. */
  arrivedByImap(receivedAt: Date | null): void {
    if (receivedAt) this.lag(Math.max(0, Date.now() - receivedAt.getTime()) / 1_000);
  }

  /** Gauges of the mailboxes that are read from accounts elsewhere. */
  watchMailboxes(
    database: Database,
    owned: () => { readonly connected: number; readonly all: number },
  ): void {
    this.metrics.gauge(
      {
        name: 'postroom_mailbox_syncs',
        help: 'Mailboxes that are read from accounts elsewhere, over all workspaces, by state.',
        labelNames: ['state'],
      },
      async () =>
        (await database.rows(countSyncs, [])).map(({ state, mailboxes }) => ({
          labels: { state },
          value: mailboxes,
        })),
    );
    this.metrics.gauge(
      {
        name: 'postroom_mailbox_changes',
        help: 'Changes that are to be made at accounts elsewhere, and those that could not be, by state.',
        labelNames: ['state'],
      },
      async () =>
        (await database.rows(countChanges, [])).map(({ state, changes }) => ({
          labels: { state },
          value: changes,
        })),
    );
    this.metrics.gauge(
      { name: 'postroom_mailboxes_owned', help: 'Mailboxes that this process reads.' },
      () => [{ value: owned().all }],
    );
    this.metrics.gauge(
      { name: 'postroom_mailbox_connections', help: 'Connections of this process to accounts.' },
      () => [{ value: owned().connected }],
    );
  }

  /** Counts what becomes of a send, and passes it on. */
  async send<T>(sending: Promise<T>): Promise<T> {
    try {
      const sent = await sending;
      this.countSend({ outcome: 'sent' });
      return sent;
    } catch (error) {
      this.countSend({ outcome: outcomeOfError(error) });
      throw error;
    }
  }
}

function outcomeOfError(error: unknown): SendOutcome {
  if (!(error instanceof Problem)) return 'failed';
  if (error.fields['outcomeUnknown'] === true) return 'unknown';
  return outcomeOfProblem[error.code] ?? 'failed';
}
