import { FairQueue } from '@postroom/concurrency';
import type { Changing } from '@postroom/operations';
import { isUniqueViolation, type UnitOfWork } from '@postroom/operations/plain';
import type { MailConfig } from '../config.js';
import type { Arrival } from './arrival.js';
import { arrivalTime, withArrival } from './conversation-upkeep.js';
import { inboundMessage } from './inbound-message.js';
import { keepArrival } from './keep-arrival.js';
import { AlreadyHere, placeArrival } from './place-arrival.js';
import { receivedData } from './received-event.js';

/** What became of an arrival. */
export type Delivery =
  | { readonly outcome: 'stored'; readonly conversationId: string }
  | { readonly outcome: 'duplicate' };

/** Takes arriving messages into conversations. */
export class Ingest {
  private readonly deliveries: FairQueue;

  constructor(
    { poolSize }: Pick<MailConfig, 'poolSize'>,
    private readonly work: UnitOfWork,
  ) {
    // However much mail arrives, requests find a connection too.
    this.deliveries = new FairQueue({ capacity: Math.max(1, poolSize - 2) });
  }

  /** Delivers a message to a mailbox, once, in one commit: when this resolves it is kept. */
  async deliver(arrival: Arrival): Promise<Delivery> {
    const { tenantId } = arrival.recipient;
    const actor = { type: 'system', id: null } as const;
    try {
      const conversationId = await this.deliveries.run(
        () =>
          this.work.run({ tenantId, actor, source: 'inbound' }, null, async (changing) => ({
            value: await store(changing, arrival),
          })),
        { key: tenantId },
      );
      return { outcome: 'stored', conversationId };
    } catch (error) {
      // The index speaks where the claim could not: two copies at once of a message whose reply
      // had arrived before it.
      const isDuplicate =
        error instanceof AlreadyHere || isUniqueViolation(error, 'messages_content');
      if (isDuplicate) return { outcome: 'duplicate' };
      throw error;
    }
  }
}

async function store(changing: Changing, arrival: Arrival): Promise<string> {
  const { parsed, raw, recipient } = arrival;
  const found = await placeArrival(changing, recipient, parsed);
  const conversationId = found.id;
  const message = inboundMessage(parsed, {
    conversationId,
    receivedAt: arrivalTime(found, changing.at),
    sizeBytes: raw.length,
  });
  const conversation = withArrival(found, message);
  const sequence = await keepArrival(changing, arrival, message, conversation);
  if (recipient.automation) {
    changing.emit({
      type: 'conversation.received',
      resource: { type: 'conversation', id: conversationId },
      sequence,
      data: receivedData(conversation, message),
    });
  }
  return conversationId;
}
