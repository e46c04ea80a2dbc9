import { memberOf } from '@postroom/access';
import {
  newId,
  Problem,
  type SnoozeConversation,
  type SnoozeResult,
  type UnsnoozeConversation,
  type UnsnoozeResult,
} from '@postroom/contracts';
import { requireVersion, type Changing, type Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { lockConversation } from './triage.js';
import { movedEnvelope } from './place-conversation.js';

interface Snooze {
  readonly reminderId: string;
  readonly until: Date;
  readonly version: number;
}

/** A change by a caller; what it does emits nothing. */
type Snoozing = Changing<never> & Pick<Reading, 'caller'>;

/** Before the first snooze; an expired snooze counts as none. */
const none: Snooze = { reminderId: '', until: new Date(0), version: 0 };

const find = statement<Snooze>(
  'conversations.find_snooze',
  `SELECT reminder_id AS "reminderId", until, version FROM snoozes
   WHERE tenant_id = $1 AND member_id = $2 AND conversation_id = $3`,
);

const keep = statement<object>(
  'conversations.keep_snooze',
  `WITH published AS (
     INSERT INTO outbox (tenant_id, event_id, type, resource, sequence, envelope)
     VALUES ($1, $7, 'conversation.snoozed', $4, $6::integer, $8)
   )
   INSERT INTO snoozes (tenant_id, member_id, conversation_id, reminder_id, until, version)
   VALUES ($1, $2, $3, $4, $5, $6::integer)
   ON CONFLICT (tenant_id, member_id, conversation_id) DO UPDATE
     SET reminder_id = excluded.reminder_id, until = excluded.until, version = excluded.version`,
);

/**
 * Hides a conversation from one member until a time. The conversation is locked, so that concurrent
 * requests of the member take turns, and not changed.
 *
 * @throws Problem CONVERSATION_NOT_FOUND, VERSION_CONFLICT
 */
export async function snoozeConversation(
  context: Snoozing,
  { ifMatch, until, ...named }: SnoozeConversation,
): Promise<SnoozeResult> {
  const { rows, at } = context;
  const memberId = memberIdOf(context);
  await lockConversation(context, named);
  const [last = none] = await rows(find, [memberId, named.id]);
  const created = last.until <= at;
  requireVersion(created ? none : last, ifMatch);
  const changed = created || last.until.toISOString() !== until;
  const reminderId = created ? newId('rem') : last.reminderId;
  const version = last.version + (changed ? 1 : 0);
  if (changed) {
    const event = [newId('evn'), movedEnvelope(context, named)];
    await rows(keep, [memberId, named.id, reminderId, until, version, ...event]);
  }
  return { action: 'snooze', until, reminderId, created, changed, version };
}

const endSnooze = statement<object>(
  'conversations.end_snooze',
  `WITH published AS (
     INSERT INTO outbox (tenant_id, event_id, type, resource, sequence, envelope)
     VALUES ($1, $6, 'conversation.unsnoozed', $3, $5::integer, $7)
   ), changed AS (
     UPDATE conversations SET version = version + 1,
       updated_at = greatest(updated_at, $4::timestamptz)
     WHERE tenant_id = $1 AND id = $3
   )
   UPDATE snoozes SET until = $4, version = $5::integer
   WHERE tenant_id = $1 AND member_id = $2 AND conversation_id = $3`,
);

/**
 * Ends a member's snooze of a conversation before its time.
 *
 * @throws Problem CONVERSATION_NOT_FOUND, VERSION_CONFLICT
 */
export async function unsnoozeConversation(
  context: Snoozing,
  { ifMatch, ...named }: UnsnoozeConversation,
): Promise<UnsnoozeResult> {
  const { rows, at } = context;
  const memberId = memberIdOf(context);
  await lockConversation(context, named);
  const [last = none] = await rows(find, [memberId, named.id]);
  const changed = last.until > at;
  requireVersion(changed ? last : none, ifMatch);
  const version = last.version + (changed ? 1 : 0);
  if (changed) {
    const event = [newId('evn'), movedEnvelope(context, named)];
    await rows(endSnooze, [memberId, named.id, at, version, ...event]);
  }
  return { action: 'unsnooze', changed, version };
}

function memberIdOf({ caller }: Snoozing): string {
  const memberId = memberOf(caller);
  if (memberId === null) throw new Problem('MEMBER_IDENTITY_INCOMPLETE');
  return memberId;
}
