import { FairQueue } from '@postroom/concurrency';
import { systemActor } from '@postroom/contracts/events';
import type { UnitOfWork } from '@postroom/operations/unit-of-work';
import type { MailConfig } from '../config.js';
import { takeArrival } from './arrivals.js';
import { isDuplicateMessage, receiveMessage, type InboundMessage } from '../conversations/plain.js';

/** What became of a delivered message. */
export type Delivery =
  | { readonly outcome: 'stored'; readonly conversationId: string }
  | { readonly outcome: 'duplicate' };

/** Stores received messages in conversations. */
export class InboundStore {
  private readonly deliveries: FairQueue;

  constructor(
    private readonly config: Pick<
      MailConfig,
      'poolSize' | 'quotaStoredBytes' | 'quotaArrivingBytes'
    >,
    private readonly work: UnitOfWork,
  ) {
    // However much mail comes, look-ups of mailboxes find a connection too.
    this.deliveries = new FairQueue({ capacity: Math.max(1, config.poolSize - 2) });
  }

  /**
   * Stores a message once, in one commit: it is on the disk when this resolves.
   * @throws SmtpRefusal where the workspace has no room for it
   */
  async store(message: InboundMessage): Promise<Delivery> {
    const { tenantId } = message.mailbox;
    const origin = { tenantId, actor: systemActor, source: 'inbound' } as const;
    try {
      const conversationId = await this.deliveries.run(
        () =>
          this.work.run(origin, null, async (changing) => {
            const [, value] = await Promise.all([
              takeArrival(changing, message.raw.length, this.config),
              receiveMessage(changing, message),
            ]);
            return { value };
          }),
        { key: tenantId },
      );
      return { outcome: 'stored', conversationId };
    } catch (error) {
      if (isDuplicateMessage(error)) return { outcome: 'duplicate' };
      throw error;
    }
  }
}
