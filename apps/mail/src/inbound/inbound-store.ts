import { systemActor } from '@postroom/contracts/events';
import { Budget } from '@postroom/limits';
import type { Changing } from '@postroom/operations';
import type { UnitOfWork } from '@postroom/operations/unit-of-work';
import { statement } from '@postroom/persistence';
import type { MailConfig } from '../config.js';
import { limits } from '../limits.js';
import { isDuplicateMessage, receiveMessage, type InboundMessage } from '../messages/index.js';
import { refusals } from './smtp/smtp-refusal.js';

/** The outcome of a delivery. */
export type Delivery =
  | { readonly outcome: 'stored'; readonly conversationId: string }
  | { readonly outcome: 'duplicate' };

/** Stores received messages in conversations. */
export class InboundStore {
  private readonly deliveries: Budget<'workspace'>;

  constructor(
    private readonly config: Pick<
      MailConfig,
      'poolSize' | 'quotaStoredBytes' | 'quotaArrivingBytes'
    >,
    private readonly work: UnitOfWork,
  ) {
    // However much mail comes, look-ups of mailboxes find a connection too.
    this.deliveries = new Budget(limits.deliveries, Math.max(1, config.poolSize - 2));
  }

  /** Has work wait for one of the connections that store mail. */
  inTurn<T>(workspace: string, work: () => Promise<T>): Promise<T> {
    return this.deliveries.runInTurn({ workspace }, work);
  }

  /**
   * Stores a message once, in one commit: it is on the disk when this resolves.
   * @throws SmtpRefusal where the workspace has no room for it
   */
  async store(message: InboundMessage): Promise<Delivery> {
    const { tenantId } = message.mailbox;
    const origin = { tenantId, actor: systemActor, source: 'inbound' } as const;
    try {
      const { threadId } = await this.inTurn(tenantId, () =>
        this.work.change(origin, null, async (changing) => {
          const [, value] = await Promise.all([
            takeArrival(changing, message.raw.length, this.config),
            receiveMessage(changing, message),
          ]);
          return { value };
        }),
      );
      return { outcome: 'stored', conversationId: threadId };
    } catch (error) {
      if (isDuplicateMessage(error)) return { outcome: 'duplicate' };
      throw error;
    }
  }
}

const take = statement<{ taken: boolean }>(
  'inbound.take_arrival',
  'SELECT take_arrival($1, $2, $3, $4) AS taken',
);

/**
 * Counts bytes that arrive for a workspace, in the commit that stores them.
 * @throws SmtpRefusal where it has no room for them
 */
export async function takeArrival(
  { rows }: Pick<Changing, 'rows'>,
  bytes: number,
  {
    quotaStoredBytes,
    quotaArrivingBytes,
  }: Pick<MailConfig, 'quotaStoredBytes' | 'quotaArrivingBytes'>,
): Promise<void> {
  const [answer] = await rows(take, [bytes, quotaStoredBytes, quotaArrivingBytes]);
  if (!answer?.taken) throw refusals.overQuota();
}
