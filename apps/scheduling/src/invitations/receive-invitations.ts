import type { Bus, EventRecord, Unsubscribe } from '@postroom/bus';
import {
  eventConsumers,
  invitationsConsumer,
  newId,
  systemActor,
  type InvitationDecided,
  type InvitationReceived,
  type MessageInvitation,
} from '@postroom/contracts';
import { AlreadyAnswered, UnitOfWork, type Changing } from '@postroom/operations';
import { statement, type Database } from '@postroom/persistence';
import { findEvent, rewriteEvent, type Expansion, type SpannedEvent } from '../events/index.js';
import type { SeriesAnswers } from '../recurrence/index.js';
import { decide, type Decision, type Sender, type Stamp } from './decide-invitation.js';
import { readInvitation, type Invitation } from './read-invitation.js';
import { Unreadable } from '../icalendar/index.js';

/** Copies of an event in calendars of a workspace, at most. */
const copiesMax = 100;

const lock = statement<{ id: string }>(
  'invitations.lock',
  `SELECT id FROM calendar_events WHERE tenant_id = $1 AND uid = $2 ORDER BY id LIMIT ${copiesMax}
   FOR UPDATE`,
);

const find = statement<Stamp>(
  'invitations.stamps',
  `SELECT party, nullif(occurrence_ms, -1)::float8 AS "occurrenceMs", sequence::float8 AS sequence,
     stamp_ms::float8 AS "stampMs"
   FROM invitation_stamps WHERE tenant_id = $1 AND event_id = $2 AND party = ANY ($3)
     AND occurrence_ms = ANY ($4)`,
);

const keep = statement<object>(
  'invitations.keep',
  `INSERT INTO invitation_stamps (tenant_id, event_id, party, occurrence_ms, sequence, stamp_ms)
   VALUES ($1, $2, $3, $4, $5, $6)
   ON CONFLICT (tenant_id, event_id, party, occurrence_ms) DO UPDATE
   SET sequence = excluded.sequence, stamp_ms = excluded.stamp_ms`,
);

const tell = statement<object>(
  'invitations.tell_decision',
  `INSERT INTO outbox (tenant_id, event_id, type, resource, sequence, envelope)
   VALUES ($1, $2, 'invitation.decided', $3, 1, $4)`,
);

/** Decides about invitations and answers that mailboxes have received, each once, and applies them. */
export const receiveInvitations = (
  bus: Bus,
  database: Database,
  expansion: Expansion,
): Promise<Unsubscribe> => {
  const work = new UnitOfWork(database);
  return bus.subscribe(
    invitationsConsumer,
    eventConsumers[invitationsConsumer].groups,
    async (event: EventRecord) => {
      const received = JSON.parse(event.envelope) as InvitationReceived;
      const origin = { tenantId: event.tenantId, actor: systemActor, source: 'inbound' } as const;
      const claim = { dedupeKey: event.id, messageId: event.id, fingerprint: 'event' };
      const done = { status: 200, body: null };
      const asked = expansion.asked(event.tenantId);
      try {
        await work.run(origin, claim, async (changing) => {
          const changed = await receive({ ...changing, asked }, received);
          const { messageId: requestId } = received;
          const audit = changed.map((subjectId) => ({ action: applies, subjectId, requestId }));
          return { value: null, reply: done, audit };
        });
      } catch (error) {
        if (!(error instanceof AlreadyAnswered)) throw error;
      }
    },
  );
};

/** What the audit calls a change of an event by mail; its request is the message. */
const applies = 'invitations.apply';

/** A change, and what it asks of series. */
type Asking = Changing & { readonly asked: SeriesAnswers };

/** @returns the events that were changed */
async function receive(changing: Asking, received: InvitationReceived): Promise<readonly string[]> {
  const invitation = readable(received.calendar);
  // Of what is no invitation there is nothing to say.
  if (!invitation) return [];
  const { method, uid } = invitation;
  const { messageId, sender: email, dmarc } = received;
  const { state, changed } = await applied(changing, invitation, { email, dmarc });
  const decided: InvitationDecided = {
    ...{ occurredAt: changing.at.toISOString(), messageId },
    invitation: { method, uid, state },
  };
  await changing.rows(tell, [newId('evn'), messageId, JSON.stringify(decided)]);
  return changed;
}

function readable(calendar: string): Invitation | null {
  try {
    return readInvitation(calendar);
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

/** Of several states the first is that of all. */
const order = ['applied', 'stale', 'refused'] as const;

/** What became of it in all calendars that have the event: applied, if it was in any. */
async function applied(
  changing: Asking,
  invitation: Invitation,
  sender: Sender,
): Promise<{ readonly state: MessageInvitation['state']; readonly changed: readonly string[] }> {
  const states = new Set<MessageInvitation['state']>();
  const changed = new Set<string>();
  for (const { id } of await changing.rows(lock, [invitation.uid])) {
    for (const part of invitation.parts) {
      const event = await findEvent(changing, id);
      if (!event) throw new Error(`event ${id} vanished under its lock`);
      const { asked } = changing;
      const stamps = await changing.rows(find, [
        ...[id, ['', sender.email.toLowerCase()], [-1, part.occurrenceMs ?? -1]],
      ]);
      const decision = decide(invitation, part, event, { sender, stamps, asked });
      states.add(decision.state);
      if (await carryOut(changing, invitation, event, decision)) changed.add(id);
    }
  }
  const [state = 'unmatched'] = order.filter((one) => states.has(one));
  return { state, changed: [...changed] };
}

/** @returns whether the event is other than before */
async function carryOut(
  changing: Asking,
  { method }: Pick<Invitation, 'method'>,
  event: SpannedEvent,
  decision: Decision,
): Promise<boolean> {
  if (decision.state !== 'applied') return false;
  const { party, occurrenceMs, sequence, stampMs } = decision.stamp;
  await changing.rows(keep, [event.id, party, occurrenceMs ?? -1, sequence, stampMs]);
  const tellAnswers = method === 'REPLY' ? changing.emit.bind(changing) : null;
  const { change } = decision;
  return (await rewriteEvent(changing, event, change, changing.asked, tellAnswers)) !== event;
}
