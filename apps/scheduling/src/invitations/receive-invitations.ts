import type { Bus, EventRecord, Unsubscribe } from '@postroom/bus';
import {
  eventConsumers,
  invitationsConsumer,
  newId,
  Problem,
  systemActor,
  type InvitationDecided,
  type InvitationReceived,
  type MessageInvitation,
} from '@postroom/contracts';
import {
  AlreadyAnswered,
  UnitOfWork,
  type Changing,
  type EmittedEvent,
} from '@postroom/operations';
import { statement, type Database } from '@postroom/persistence';
import { findEvent, rewriteEvent, type Expansion, type SpannedEvent } from '../events/index.js';
import { isSameSeries, type AskedSeries } from '../recurrence/index.js';
import {
  decide,
  questionsOf,
  type Decision,
  type Sender,
  type Stamp,
} from './decide-invitation.js';
import { namedFor } from './invited-changes.js';
import {
  invitationHead,
  readInvitation,
  type Invitation,
  type InvitationHead,
} from './read-invitation.js';
import { Unreadable } from '../icalendar/index.js';
import { anyMailHasEffect, keepUnconfirmed } from './unconfirmed-invitations.js';

/** Time limit for all questions of an invitation: no caller waits for it. */
const wholeMs = 60_000;
/** Age at which an invitation that cannot be computed is refused: it would be redelivered for ever. */
const givenUpMs = 10 * 60_000;

/** Copies of an event in calendars of a workspace, at most. */
const copiesMax = 100;

const lock = statement<{ id: string }>(
  'invitations.lock',
  `SELECT id FROM calendar_events WHERE tenant_id = $1 AND uid = $2 ORDER BY id LIMIT ${copiesMax}
   FOR UPDATE`,
);

const findStamps = statement<Stamp>(
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

const publish = statement<object>(
  'invitations.tell_decision',
  `INSERT INTO outbox (tenant_id, event_id, type, resource, sequence, envelope)
   VALUES ($1, $2, 'invitation.decided', $3, $5, $4)`,
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
      const asked = expansion.asked(event.tenantId, wholeMs);
      const applyOnce = (act: (changing: Asking) => Promise<readonly string[]>): Promise<null> =>
        work.change(origin, claim, async (changing) => {
          const changed = await act({ ...changing, asked });
          const { messageId: requestId } = received;
          const audit = changed.map((subjectId) => ({ action: applies, subjectId, requestId }));
          return { value: null, reply: done, audit };
        });
      try {
        await applyOnce((changing) => receive(changing, received));
      } catch (error) {
        if (error instanceof AlreadyAnswered) return;
        if (!isGivenUp(error, received)) throw error;
        await applyOnce((changing) => refuse(changing, received));
      }
    },
  );
};

/** True if a rule could not be expanded in time, and has been tried for long enough. */
const isGivenUp = (error: unknown, { occurredAt }: InvitationReceived): boolean =>
  error instanceof Problem &&
  error.code === 'SERVICE_UNAVAILABLE' &&
  Date.now() - Date.parse(occurredAt) > givenUpMs;

/** The audit action for a change of an event by mail; its request id is the message. */
const applies = 'invitations.apply';

/** A change, and what it asks of series. */
export type Asking = Pick<Changing, 'rows' | 'at'> & {
  readonly emit: (
    event: EmittedEvent<'calendar_event.updated' | 'calendar_event.rsvp_changed'>,
  ) => void;
} & { readonly asked: AskedSeries };

/** @returns the events that were changed */
async function receive(changing: Asking, received: InvitationReceived): Promise<readonly string[]> {
  const isTrusted =
    received.dmarc === 'pass' || received.isAligned === true || (await anyMailHasEffect(changing));
  const { invitation, changed } = await decideReceived(changing, received, { isTrusted, times: 1 });
  if (invitation?.state === 'unconfirmed') await keepUnconfirmed(changing, received);
  return changed;
}

/** The circumstances of a decision. */
interface Deciding {
  /** True with evidence that the sender sent it, or where none is asked for. */
  readonly isTrusted: boolean;
  /** The number of decisions about the message, with this one. */
  readonly times: number;
}

/** A decision, with the events that it has changed; null for what is no invitation. */
interface Decided {
  readonly invitation: MessageInvitation | null;
  readonly changed: readonly string[];
}

/**
 * Decides about an invitation, applies it and publishes the event.
 */
export async function decideReceived(
  changing: Asking,
  received: InvitationReceived,
  { isTrusted, times }: Deciding,
): Promise<Decided> {
  const head = invitationHead(received.calendar);
  // Not an invitation: nothing to report.
  if (!head) return { invitation: null, changed: [] };
  const invitation = readable(received.calendar);
  if (invitation instanceof Unreadable) {
    const refusal = refusedFor(invitation.message);
    return {
      invitation: await publishDecision(changing, received, { ...head, ...refusal, times }),
      changed: [],
    };
  }
  const { sender: email, dmarc, ours = [] } = received;
  const sender = { email, dmarc, ours, isTrusted };
  const { outcome, changed } = await applied(changing, invitation, sender);
  return {
    invitation: await publishDecision(changing, received, { ...invitation, ...outcome, times }),
    changed,
  };
}

async function refuse(
  changing: Pick<Changing, 'rows' | 'at'>,
  received: InvitationReceived,
): Promise<readonly []> {
  const head = invitationHead(received.calendar);
  const tooLong = refusedFor('its repetition takes too long to compute');
  if (head) await publishDecision(changing, received, { ...head, ...tooLong, times: 1 });
  return [];
}

interface Outcome {
  readonly state: MessageInvitation['state'];
  readonly reason: string | null;
}

const refusedFor = (reason: string): Outcome => ({ state: 'refused', reason });

async function publishDecision(
  { rows, at }: Pick<Changing, 'rows' | 'at'>,
  { messageId }: InvitationReceived,
  { method, uid, state, reason, times }: InvitationHead & Outcome & Pick<Deciding, 'times'>,
): Promise<MessageInvitation> {
  const invitation = { method, uid, state, reason: reason?.slice(0, 200) ?? null };
  const decided: InvitationDecided = {
    ...{ occurredAt: at.toISOString(), messageId, invitation },
  };
  await rows(publish, [newId('evn'), messageId, JSON.stringify(decided), times]);
  return invitation;
}

function readable(calendar: string): Invitation | Unreadable {
  try {
    return readInvitation(calendar);
  } catch (error) {
    if (error instanceof Unreadable) return error;
    throw error;
  }
}

/** The states by rank: the first that occurs is the state of the whole. */
const order = ['applied', 'unconfirmed', 'stale', 'refused'] as const;
const unmatched: Outcome = { state: 'unmatched', reason: 'no event of its UID' };

/** Applies an invitation in all calendars that have the event; its state is `applied` if it was in any. */
async function applied(
  changing: Asking,
  invitation: Invitation,
  sender: Sender,
): Promise<{ readonly outcome: Outcome; readonly changed: readonly string[] }> {
  const outcomes = new Map<MessageInvitation['state'], Outcome>();
  const changed: string[] = [];
  const { asked } = changing;
  const copies: SpannedEvent[] = [];
  for (const { id } of await changing.rows(lock, [invitation.uid])) {
    const copy = await findEvent(changing, id);
    if (!copy) throw new Error(`event ${id} vanished under its lock`);
    copies.push(copy);
  }
  // All at once: with each answer that is not there yet the transaction begins again.
  asked.require(copies.flatMap((copy) => questionsOf(invitation, copy, sender)));
  for (const copy of copies) {
    let event = copy;
    for (const [i, invited] of invitation.parts.entries()) {
      const part = namedFor(invited, event);
      const stamps = await changing.rows(findStamps, [
        ...[copy.id, ['', sender.email.toLowerCase()], [-1, part.occurrenceMs ?? -1]],
      ]);
      const decision = decide(invitation, part, event, { sender, stamps, asked });
      outcomes.set(decision.state, outcomes.get(decision.state) ?? outcomeOf(decision));
      const before = event;
      event = await carryOut(changing, invitation, before, decision);
      if (isSameSeries(before, event)) continue;
      const parts = invitation.parts.slice(i + 1);
      asked.require(questionsOf({ ...invitation, parts }, event, sender));
    }
    if (event !== copy) changed.push(copy.id);
  }
  const [outcome = unmatched] = order.flatMap((one) => outcomes.get(one) ?? []);
  return { outcome, changed };
}

const outcomeOf = (decision: Decision): Outcome => ({
  state: decision.state,
  reason: decision.state === 'applied' ? null : decision.reason,
});

/** @returns the event as it is now; as it was where nothing is other than before */
async function carryOut(
  changing: Asking,
  { method }: Pick<Invitation, 'method'>,
  event: SpannedEvent,
  decision: Decision,
): Promise<SpannedEvent> {
  if (decision.state !== 'applied') return event;
  const { party, occurrenceMs, sequence, stampMs } = decision.stamp;
  await changing.rows(keep, [event.id, party, occurrenceMs ?? -1, sequence, stampMs]);
  const emitAnswers = method === 'REPLY' ? changing.emit.bind(changing) : null;
  return rewriteEvent(changing, event, decision.change, changing.asked, emitAnswers);
}
