import type { Bus, EventRecord, Unsubscribe } from '@postroom/bus';
import {
  eventConsumers,
  mailInvitationsConsumer,
  type InvitationDecided,
} from '@postroom/contracts';
import { consumeOnce, type Consuming } from '@postroom/operations';
import { statement, type Database } from '@postroom/persistence';

/** A copy of another service's data, kept from its events; the service itself is never asked. */
export interface ReadModel {
  readonly consumer: keyof typeof eventConsumers;
  /** Applies an event, in the transaction that marks it as consumed. */
  readonly apply: (consuming: Consuming, event: EventRecord) => Promise<void>;
}

/** Subscribes a read model to its events; each is applied once. */
export const followEvents = (
  bus: Bus,
  database: Database,
  { consumer, apply }: ReadModel,
): Promise<Unsubscribe> =>
  bus.subscribe(consumer, eventConsumers[consumer].groups, async (event) => {
    await consumeOnce(database, consumer, event, (consuming) => apply(consuming, event));
  });

/**
 * The first decision stays, unless it waited for a member: a later one was made with the change of the first already
 * applied.
 */
const storeDecision = statement<object>(
  'invitations.learn',
  `UPDATE messages SET invitation = $3 WHERE tenant_id = $1 AND id = $2 
     AND (invitation IS NULL OR invitation ->> 'state' = 'unconfirmed')`,
);

/** Stores scheduling's decision about the invitation in a message with the message. */
export const invitationDecisions: ReadModel = {
  consumer: mailInvitationsConsumer,
  apply: async ({ rows }, { envelope }) => {
    const { messageId, invitation } = JSON.parse(envelope) as InvitationDecided;
    await rows(storeDecision, [messageId, JSON.stringify(invitation)]);
  },
};
