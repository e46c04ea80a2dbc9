import {
  Count,
  Email,
  Flag,
  Id,
  IfMatch,
  Instant,
  Labels,
  MemberEmail,
  OneOf,
  TeamId,
  Texts,
  type Violation,
} from '../fields/index.js';
import { family, operation } from '../operation.js';
import { labelsMax } from '../labels-max.js';
import { conversationStatuses, type ConversationStatus } from './conversation.js';
import { ChangeConversation, ChangedVersion, GetConversation, ResultOf } from './operations.js';

/** Labels that a request names, at most. */
export const labelsPerRequest = 50;
const snoozeMaxMs = 365 * 24 * 60 * 60 * 1000;

/** Input of assign; what is absent stays. */
export class AssignConversation extends ChangeConversation {
  @MemberEmail('Address of an active member; null assigns it to nobody.', {
    optional: true,
    nullable: true,
  })
  assignee?: string | null;

  @OneOf(conversationStatuses, 'Where the work on it stands.', { optional: true })
  status?: ConversationStatus;

  @TeamId('A team; null assigns it to none.', { optional: true, nullable: true })
  teamId?: string | null;
}

const none = { default: [], nullable: 'absent' } as const;

/** Input of labels. */
export class LabelConversation extends ChangeConversation {
  @Labels('Labels to put on it.', { max: labelsPerRequest, ...none })
  add!: string[];

  @Labels('Labels to take off it.', { max: labelsPerRequest, ...none })
  remove!: string[];
}

/** Input of snooze. */
export class SnoozeConversation extends GetConversation {
  @IfMatch()
  ifMatch?: number;

  @Instant('When it shows again: in the future, at most 365 days ahead.')
  until!: string;
}

/** Input of unsnooze. */
export class UnsnoozeConversation extends GetConversation {
  @IfMatch()
  ifMatch?: number;
}

/** Result of assign. */
export class AssignResult extends ChangedVersion {
  @Email('The member it is assigned to.', { nullable: true })
  assignee!: string | null;

  @OneOf(conversationStatuses, 'Where the work on it stands.')
  status!: ConversationStatus;

  @Id('tea', 'The team it is assigned to.', { nullable: true })
  teamId!: string | null;

  @Flag('False when all of it was so before.')
  changed!: boolean;
}

/** Result of labels; each label as the mailbox writes it. */
export class LabelResult extends ChangedVersion {
  @Texts('All labels it has now.', { max: labelsMax, each: 128 })
  labels!: string[];

  @Texts('Those it did not have before.', { max: labelsPerRequest, each: 128 })
  added!: string[];

  @Texts('Those it has no more.', { max: labelsPerRequest, each: 128 })
  removed!: string[];
}

/** Result of snooze. */
export class SnoozeResult {
  @OneOf(['snooze'], 'The action.')
  action!: 'snooze';

  @Instant('When it shows again.')
  until!: string;

  @Id('rem', 'The reminder; moving a snooze keeps it.')
  reminderId!: string;

  @Flag('True when it was not snoozed before.')
  created!: boolean;

  @Flag('False when it was snoozed until then before.')
  changed!: boolean;

  @Count('Of the snooze, for `If-Match`: grows by one with every change.', {
    max: Number.MAX_SAFE_INTEGER,
  })
  version!: number;
}

/** Result of unsnooze. */
export class UnsnoozeResult {
  @OneOf(['unsnooze'], 'The action.')
  action!: 'unsnooze';

  @Flag('False when it was not snoozed before.')
  changed!: boolean;

  @Count('Of the snooze, for `If-Match`: grows by one with every change.', {
    max: Number.MAX_SAFE_INTEGER,
  })
  version!: number;
}

/** Answer of assign. */
export class AssignAnswer extends ResultOf(() => AssignResult) {}

/** Answer of labels. */
export class LabelAnswer extends ResultOf(() => LabelResult) {}

/** Answer of snooze. */
export class SnoozeAnswer extends ResultOf(() => SnoozeResult) {}

/** Answer of unsnooze. */
export class UnsnoozeAnswer extends ResultOf(() => UnsnoozeResult) {}

/** At least one label. */
function labelFaults({ add, remove }: LabelConversation): readonly Violation[] {
  if (add.length + remove.length > 0) return [];
  const message = { fr: 'au moins une étiquette attendue', en: 'expected at least one label' };
  return [{ field: 'add', fault: 'REQUIRED', message }];
}

/** A time that is still to come and not too far away. */
export function untilFaults(
  { until }: Pick<SnoozeConversation, 'until'>,
  at: Date,
): readonly Violation[] {
  const aheadMs = Date.parse(until) - at.getTime();
  if (aheadMs > 0 && aheadMs <= snoozeMaxMs) return [];
  const fr = 'date future, à 365 jours au plus, attendue';
  const en = 'expected a time within the next 365 days';
  return [{ field: 'until', fault: aheadMs > 0 ? 'TOO_LARGE' : 'TOO_SMALL', message: { fr, en } }];
}

/** Actions of a team on a conversation as it works through a mailbox (public-api.md §4). */
export const triage = family('mail', 'conversations', {
  assign: operation({
    http: 'POST /v1/conversations/:id/assign',
    scope: 'write:conversations',
    summary: 'Assign a conversation to a member or a team, or set its status',
    input: AssignConversation,
    output: AssignAnswer,
    mailbox: 'write',
    emits: ['conversation.assigned'],
    problems: ['CONVERSATION_NOT_FOUND'],
  }),
  label: operation({
    http: 'POST /v1/conversations/:id/labels',
    scope: 'write:conversations',
    summary: 'Put labels on a conversation and take labels off it',
    description: `Labels are added, then removed: one that is named in both is not on it afterwards.
A conversation has at most ${labelsMax}; what would make them more is refused whole.`,
    input: LabelConversation,
    output: LabelAnswer,
    rule: labelFaults,
    mailbox: 'write',
    emits: ['conversation.labeled'],
    problems: ['CONVERSATION_NOT_FOUND', 'TOO_MANY_LABELS'],
  }),
  snooze: operation({
    http: 'POST /v1/conversations/:id/snooze',
    scope: 'write:conversations',
    summary: 'Hide a conversation until a time, from the member of this key alone',
    input: SnoozeConversation,
    output: SnoozeAnswer,
    timeRule: (input: SnoozeConversation, at) => untilFaults(input, at),
    mailbox: 'write',
    member: true,
    problems: ['CONVERSATION_NOT_FOUND'],
  }),
  unsnooze: operation({
    http: 'POST /v1/conversations/:id/unsnooze',
    scope: 'write:conversations',
    addition: true,
    summary: 'Show a snoozed conversation again, to the member of this key',
    input: UnsnoozeConversation,
    output: UnsnoozeAnswer,
    mailbox: 'write',
    member: true,
    problems: ['CONVERSATION_NOT_FOUND'],
  }),
});
