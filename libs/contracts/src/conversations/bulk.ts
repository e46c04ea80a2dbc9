import {
  Count,
  Email,
  Flag,
  Id,
  Ids,
  Instant,
  Labels,
  ListOf,
  MailboxName,
  MemberEmail,
  OneOf,
  TeamId,
  Text,
  type Violation,
} from '../fields/index.js';
import { family, operation } from '../operation.js';
import {
  conversationStatuses,
  placements,
  type ConversationStatus,
  type Placement,
} from './conversation.js';
import { labelsPerRequest, untilFaults } from './triage.js';

/** Conversations of a request. */
export const bulkMax = 100;

/** Changes of several conversations: the last part of the path of each operation on one. */
export const bulkActions = [
  ...['read', 'move', 'archive', 'reopen'],
  ...['assign', 'labels', 'snooze', 'unsnooze'],
] as const;

export type BulkAction = (typeof bulkActions)[number];

const none = { default: [], nullable: 'absent' } as const;

/** Input of a change of several conversations: the fields of the action, as the operation on one has them. */
export class ChangeConversations {
  @MailboxName('The mailbox they belong to.')
  mailbox!: string;

  @Ids('cnv', 'The conversations.', { max: bulkMax })
  ids!: string[];

  @OneOf(bulkActions, 'What is done to each.')
  action!: BulkAction;

  @Flag('Of read: whether they are to be unread; false when absent.', { optional: true })
  unread?: boolean;

  @OneOf(placements, 'Of move: where they are to be kept.', { optional: true })
  placement?: Placement;

  @MemberEmail('Of assign: the member; null assigns them to nobody.', {
    optional: true,
    nullable: true,
  })
  assignee?: string | null;

  @OneOf(conversationStatuses, 'Of assign: where the work on them stands.', { optional: true })
  status?: ConversationStatus;

  @TeamId('Of assign: the team; null assigns them to none.', { optional: true, nullable: true })
  teamId?: string | null;

  @Labels('Of labels: those to put on them.', { max: labelsPerRequest, ...none })
  add!: string[];

  @Labels('Of labels: those to take off them.', { max: labelsPerRequest, ...none })
  remove!: string[];

  @Instant('Of snooze: when they show again, in the future, at most 365 days ahead.', {
    optional: true,
  })
  until?: string;
}

/** The outcome for one of the conversations. */
export class BulkResult {
  @Id('cnv', 'The conversation.')
  id!: string;

  @Flag('Whether it is done; also where it was so before.')
  ok!: boolean;

  @Text('Which refusal it is, where it is not done: the code that the operation on one answers.', {
    max: 60,
    nullable: true,
  })
  code!: string | null;

  @Count('As the operation on one answers it.', { max: Number.MAX_SAFE_INTEGER, nullable: true })
  version!: number | null;
}

/** Answer of a change of several conversations. */
export class BulkAnswer {
  @Email('The mailbox.')
  mailbox!: string;

  @ListOf(() => BulkResult, 'One for each conversation, in the order that was asked.', {
    max: bulkMax,
  })
  results!: BulkResult[];
}

/** Fields that belong to an action alone. */
const fieldsOf: Readonly<Partial<Record<BulkAction, readonly (keyof ChangeConversations)[]>>> = {
  read: ['unread'],
  move: ['placement'],
  assign: ['assignee', 'status', 'teamId'],
  labels: ['add', 'remove'],
  snooze: ['until'],
};

const isGiven = (value: unknown): boolean =>
  value !== undefined && !(Array.isArray(value) && value.length === 0);

/** Faults of fields that the action needs and lacks, or that belong to another. */
function bulkFaults(input: ChangeConversations): readonly Violation[] {
  const { action, ids } = input;
  const own = fieldsOf[action] ?? [];
  const foreign = Object.values(fieldsOf)
    .flat()
    .filter((name) => !own.includes(name) && isGiven(input[name]));
  const needed = action === 'move' || action === 'labels' || action === 'snooze' ? own : [];
  const lacking = needed.length > 0 && !needed.some((name) => isGiven(input[name]));
  return [
    ...(ids.length === 0 ? [fault('ids', 'REQUIRED')] : []),
    ...(lacking ? [fault(needed[0] ?? '', 'REQUIRED')] : []),
    ...foreign.map((name) => fault(name, 'UNKNOWN_FIELD')),
  ];
}

const expected = {
  REQUIRED: { fr: 'valeur attendue', en: 'expected a value' },
  UNKNOWN_FIELD: { fr: 'absent de cette action attendu', en: 'expected none with this action' },
} as const;

const fault = (field: string, code: keyof typeof expected): Violation => ({
  ...{ field, fault: code, message: expected[code] },
});

/** A change of many conversations at once, by members (`decisions.md` §9). */
export const bulk = family(
  'mail',
  'bulk',
  {
    change: operation({
      http: 'POST /v1/conversations/bulk',
      addition: true,
      summary: 'Do one thing to up to 100 conversations of a mailbox',
      description: `Each is checked and changed as by the operation on one, with an answer of its own: those that cannot be
changed keep none of the others from it.`,
      input: ChangeConversations,
      output: BulkAnswer,
      rule: bulkFaults,
      timeRule: ({ until }, at) => (until === undefined ? [] : untilFaults({ until }, at)),
      mailbox: 'write',
      emits: ['conversation.assigned', 'conversation.labeled'],
    }),
  },
  { audience: 'member' },
);
