import type { Bus, Unsubscribe } from '@postroom/bus';
import { streamConsumer, type EventEnvelope } from '@postroom/contracts';
import { consumeOnce } from '@postroom/operations';
import type { Database } from '@postroom/persistence';
import { tellMembers } from '../stream-log/index.js';

/** Tells members of conversations that have changed, from the events of the mail service: each once. */
export const receiveChanges = (bus: Bus, database: Database): Promise<Unsubscribe> =>
  bus.subscribe(streamConsumer, ['messaging'], async (event) => {
    const { type, resource, data } = JSON.parse(event.envelope) as EventEnvelope;
    const mailbox = mailboxIn(data);
    await consumeOnce(database, streamConsumer, event, ({ rows }) =>
      tellMembers(
        { rows },
        {
          type: 'conversation.changed',
          within: mailbox === null ? null : { type: 'mailbox', id: mailbox },
          data: { conversation: { id: resource.id, mailbox }, by: type },
        },
      ),
    );
  });

function mailboxIn(data: object): string | null {
  const { conversation } = data as { readonly conversation?: { readonly mailbox?: string } };
  return conversation?.mailbox ?? null;
}
