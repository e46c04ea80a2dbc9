import type { Bus, EventRecord, Unsubscribe } from '@postroom/bus';
import {
  mailInvitationsConsumer,
  eventConsumers,
  type InvitationDecided,
} from '@postroom/contracts';
import { consumeOnce } from '@postroom/operations';
import { statement, type Database } from '@postroom/persistence';

/** The first decision stays: a later one was made with the change of the first already applied. */
const learn = statement<object>(
  'invitations.learn',
  `UPDATE messages SET invitation = $3 WHERE tenant_id = $1 AND id = $2 AND invitation IS NULL`,
);

/** Keeps with each message what scheduling has decided about the invitation in it. */
export const learnDecisions = (bus: Bus, database: Database): Promise<Unsubscribe> =>
  bus.subscribe(
    mailInvitationsConsumer,
    eventConsumers[mailInvitationsConsumer].groups,
    async (event: EventRecord) => {
      await consumeOnce(database, mailInvitationsConsumer, event, async ({ rows }) => {
        const { messageId, invitation } = JSON.parse(event.envelope) as InvitationDecided;
        await rows(learn, [messageId, JSON.stringify(invitation)]);
      });
    },
  );
