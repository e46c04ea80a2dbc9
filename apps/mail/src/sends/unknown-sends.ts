import { Database, statement } from '@postroom/persistence';
import type { Log, Metrics } from '@postroom/service';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { startRounds } from '@postroom/concurrency';
import { MessageParser } from '@postroom/mime';
import { logToken, UnitOfWork, type Reading } from '@postroom/operations';
import { MailConfig } from '../config.js';
import { wholeOriginal } from '../originals.js';
import { Transport, type SendingMailbox } from '../outgoing/index.js';
import { recordSent } from './record-sent.js';
import type { Outgoing } from './send-request.js';
import { declareUnknown, type SendKey, type UnknownOutcome } from './reservations.js';

const roundMax = 50;

const takeOpen = statement<SendKey>(
  'sends.take_open',
  `SELECT tenant_id AS "tenantId", mailbox_id AS "mailboxId", idempotency_key AS "idempotencyKey"
   FROM take_open_sends($1)`,
);

interface OpenSend {
  readonly state: 'transmitting' | 'unknown';
  readonly isLive: boolean;
  readonly messageId: string;
  readonly outgoing: Outgoing;
  readonly said: UnknownOutcome | null;
  readonly mailbox: SendingMailbox;
  /** It was imported, or what was received names it or is a copy. */
  readonly isProven: boolean;
}

const open = statement<OpenSend>(
  'sends.open',
  `SELECT (o.reservation).state, (o.reservation).lease_until > now() AS "isLive",
     (o.reservation).message_id AS "messageId", (o.reservation).outgoing, (o.reservation).said,
     json_build_object(
       'id', (o.mailbox).id, 'address', (o.mailbox).address, 'name', (o.mailbox).name,
       'outgoing', (o.mailbox).outgoing, 'dkim', (o.mailbox).dkim) AS mailbox,
     (o.reservation).seen_at IS NOT NULL OR is_answered($1, $2, (o.reservation).message_id) AS "isProven"
   FROM open_send($1, $2, $3) o`,
);

/**
 * Settles sends whose process died, or whose server never answered. Only evidence settles one: the
 * provider has its Message-ID, or a copy or an answer was received or imported. The lack of evidence proves nothing, so
 * nothing is ever sent again here.
 */
@Injectable()
export class UnknownSends implements OnApplicationBootstrap, OnModuleDestroy {
  private stop: () => Promise<void> = () => Promise.resolve();

  constructor(
    @Inject(MailConfig) private readonly config: Pick<MailConfig, 'sendSettleMs'>,
    private readonly database: Database,
    private readonly work: UnitOfWork,
    private readonly transport: Transport,
    private readonly parser: MessageParser,
    @Inject(logToken) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.stop = startRounds(() => this.round(), {
      everyMs: this.config.sendSettleMs,
      onFailure: (err) => {
        this.log.warn({ err }, 'sends: looking for unknown sends failed, retrying');
      },
    });
  }

  onModuleDestroy(): Promise<void> {
    return this.stop();
  }

  /** Settles the sends that are due. */
  async round(): Promise<void> {
    const due = await this.database.rows(takeOpen, [roundMax]);
    for (const send of due) {
      await this.settle(send).catch((err: unknown) => {
        this.log.warn({ err }, 'sends: settling an unknown send failed');
      });
    }
  }

  /** Settles one send, if no process works on it and there is evidence. */
  async settle(send: SendKey): Promise<void> {
    const { tenantId, mailboxId, idempotencyKey } = send;
    const [found] = await this.database.rows(open, [tenantId, mailboxId, idempotencyKey], tenantId);
    if (!found || (found.state === 'transmitting' && found.isLive)) return;
    const { mailbox, messageId } = found;
    if (found.state === 'transmitting') {
      const key = { tenantId, mailboxId, idempotencyKey };
      await declareUnknown(this.work, key, { reason: 'the process ended' });
    }
    if (!found.isProven && !(await this.transport.hasTaken(mailbox, messageId))) return;
    await this.record(send, found);
    this.log.info({ messageId }, 'sends: an unknown send is settled, it had left');
  }

  /** Settles one that a member knows to have left. */
  async settleAsSent(send: SendKey): Promise<void> {
    const { tenantId, mailboxId, idempotencyKey } = send;
    const [found] = await this.database.rows(open, [tenantId, mailboxId, idempotencyKey], tenantId);
    if (found) await this.record(send, found);
  }

  private async record({ tenantId, idempotencyKey }: SendKey, found: OpenSend): Promise<void> {
    const { mailbox, messageId, outgoing } = found;
    const reading: Pick<Reading, 'rows'> = {
      rows: (statement, values) => this.database.rows(statement, [tenantId, ...values], tenantId),
    };
    const raw = await wholeOriginal(reading, outgoing.message);
    const parsed = await this.parser.parse(raw, tenantId);
    await recordSent(this.work, {
      tenantId,
      mailbox,
      idempotencyKey,
      messageId,
      outgoing,
      parsed,
      sizeBytes: raw.length,
      rejected: found.said?.rejected ?? [],
      providerMessageId: null,
      receiptSource: 'reconciled',
    });
  }
}

const waiting = statement<{ sends: number; oldestSeconds: number }>(
  'mail.unknown_sends_waiting',
  'SELECT sends, oldest_seconds AS "oldestSeconds" FROM unknown_sends_waiting()',
);

/** Gauges of the number and age of sends with an unknown outcome: they are never sent again. */
export function watchUnknownSends(metrics: Metrics, database: Database): void {
  metrics.gauge(
    {
      name: 'postroom_sends_unknown',
      help: 'Sends whose outcome is unknown, over all workspaces, 10,000 at most.',
    },
    async () => (await database.rows(waiting, [])).map(({ sends }) => ({ value: sends })),
  );
  metrics.gauge(
    {
      name: 'postroom_sends_unknown_oldest_seconds',
      help: 'Age of the oldest send whose outcome is unknown, over all workspaces.',
    },
    async () => {
      const found = await database.rows(waiting, []);
      return found.map(({ oldestSeconds }) => ({ value: oldestSeconds }));
    },
  );
}
