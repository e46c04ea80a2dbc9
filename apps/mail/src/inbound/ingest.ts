import { Inject, Injectable } from '@nestjs/common';
import { newId, type ConversationItem } from '@postroom/contracts';
import { isUniqueViolation, UnitOfWork, type Changing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { MailConfig } from '../config.js';
import { conversationColumns } from '../conversations/index.js';
import type { Arrival } from './arrival.js';
import { arrivalTime, withArrival } from './conversation-upkeep.js';
import { inboundMessage } from './inbound-message.js';
import { keepArrival } from './keep-arrival.js';
import { receivedData } from './received-event.js';
import { Slots } from './slots.js';
import { ancestorsOf } from './threading.js';

/** What became of an arrival. */
export type Delivery =
  | { readonly outcome: 'stored'; readonly conversationId: string }
  | { readonly outcome: 'duplicate' };

const place = statement<{ duplicate: boolean; conversationId: string }>(
  'inbound.place',
  `SELECT duplicate, conversation_id AS "conversationId"
   FROM place_message($1, $2, $3, $4, $5, $6, $7, $8)`,
);

const lock = statement<ConversationItem>(
  'inbound.lock',
  `SELECT ${conversationColumns('c', '$3::text')} FROM conversations c
   WHERE c.tenant_id = $1 AND c.id = $2 FOR UPDATE`,
);

/** Rolls back the delivery of a message that is here already. */
class AlreadyHere extends Error {}

/** Takes arriving messages into conversations. */
@Injectable()
export class Ingest {
  private readonly slots: Slots;

  constructor(
    @Inject(MailConfig) { poolSize }: Pick<MailConfig, 'poolSize'>,
    private readonly work: UnitOfWork,
  ) {
    // However much mail arrives, requests find a connection too.
    this.slots = new Slots(Math.max(1, poolSize - 2));
  }

  /** Delivers a message to a mailbox, once, in one commit: when this resolves it is kept. */
  async deliver(arrival: Arrival): Promise<Delivery> {
    const { tenantId } = arrival.recipient;
    const actor = { type: 'system', id: null } as const;
    try {
      const conversationId = await this.slots.run(() =>
        this.work.run({ tenantId, actor, source: 'inbound' }, null, async (changing) => ({
          value: await store(changing, arrival),
        })),
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
  const conversationId = await conversationFor(changing, arrival);
  const [found] = await changing.rows(lock, [conversationId, recipient.address]);
  if (!found) throw new Error(`thread of ${conversationId}, which does not exist`);
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

async function conversationFor(changing: Changing, arrival: Arrival): Promise<string> {
  const { parsed, recipient } = arrival;
  const [placed] = await changing.rows(place, [
    recipient.mailboxId,
    parsed.messageId,
    parsed.fingerprint,
    ancestorsOf(parsed),
    newId('cnv'),
    parsed.subject,
    changing.at,
  ]);
  if (!placed || placed.duplicate) throw new AlreadyHere();
  return placed.conversationId;
}
