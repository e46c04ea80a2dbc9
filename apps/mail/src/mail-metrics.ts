import { Problem } from '@postroom/contracts';
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

/** Counts the mail that comes and leaves in this process. */
export class MailMetrics {
  private readonly count;
  private readonly countBounce;
  private readonly countSend;
  private lastArrivalMs = performance.now();

  constructor(metrics: Metrics) {
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
