import type { Bus, EventRecord, Unsubscribe } from '@postroom/bus';
import { streamConsumer, type EventEnvelope } from '@postroom/contracts';
import { consumeOnce } from '@postroom/operations';
import type { Database } from '@postroom/persistence';
import { tellMembers, type Told } from '../stream-log/index.js';

/**
 * Tells members of conversations that have changed, from the events of the mail service, and of webhooks
 * that were disabled: each once.
 */
export const receiveChanges = (bus: Bus, database: Database): Promise<Unsubscribe> =>
  bus.subscribe(streamConsumer, ['messaging', 'webhooks'], async (event) => {
    await consumeOnce(database, streamConsumer, event, ({ rows }) =>
      tellMembers({ rows }, toldOf(event)),
    );
  });

function toldOf({ type: kind, envelope }: EventRecord): Told {
  if (kind === 'webhook.disabled') {
    const { webhook } = JSON.parse(envelope) as { readonly webhook: object };
    return { type: kind, within: null, data: { webhook } };
  }
  const { type, resource, data } = JSON.parse(envelope) as EventEnvelope;
  const mailbox = mailboxIn(data);
  return {
    type: 'conversation.changed',
    within: mailbox === null ? null : { type: 'mailbox', id: mailbox },
    data: { conversation: { id: resource.id, mailbox }, by: type },
  };
}

function mailboxIn(data: object): string | null {
  const { conversation } = data as { readonly conversation?: { readonly mailbox?: string } };
  return conversation?.mailbox ?? null;
}
