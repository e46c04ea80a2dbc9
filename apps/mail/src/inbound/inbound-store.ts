import { FairQueue } from '@postroom/concurrency';
import { systemActor } from '@postroom/contracts/plain';
import type { UnitOfWork } from '@postroom/operations/plain';
import type { MailConfig } from '../config.js';
import { isDuplicateMessage, receiveMessage, type InboundMessage } from '../conversations/plain.js';

/** What became of a delivered message. */
export type Delivery =
  | { readonly outcome: 'stored'; readonly conversationId: string }
  | { readonly outcome: 'duplicate' };

/** Stores received messages in conversations. */
export class InboundStore {
  private readonly deliveries: FairQueue;

  constructor(
    { poolSize }: Pick<MailConfig, 'poolSize'>,
    private readonly work: UnitOfWork,
  ) {
    // However much mail comes, look-ups of mailboxes find a connection too.
    this.deliveries = new FairQueue({ capacity: Math.max(1, poolSize - 2) });
  }

  /** Stores a message once, in one commit: it is on the disk when this resolves. */
  async store(message: InboundMessage): Promise<Delivery> {
    const { tenantId } = message.mailbox;
    const origin = { tenantId, actor: systemActor, source: 'inbound' } as const;
    try {
      const conversationId = await this.deliveries.run(
        () =>
          this.work.run(origin, null, async (changing) => ({
            value: await receiveMessage(changing, message),
          })),
        { key: tenantId },
      );
      return { outcome: 'stored', conversationId };
    } catch (error) {
      if (isDuplicateMessage(error)) return { outcome: 'duplicate' };
      throw error;
    }
  }
}
