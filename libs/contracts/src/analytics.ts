import { AnswerOf } from './answers.js';
import { Count, Day, Email, ListOf, OneOf, Part, Text } from './fields/index.js';
import { family, operation } from './operation.js';

const dayMs = 86_400_000;

/** The volumes of a period from the counts of all services, by mailbox those of the given addresses. */
export function assembleVolumes(
  counts: readonly VolumeCount[],
  period: AnalyticsPeriod,
  mailboxes: readonly string[],
): Volumes {
  const amounts = new Map(counts.map((count) => [keyOf(count), count.amount]));
  const amount = (place: Omit<VolumeCount, 'amount'>): number => amounts.get(keyOf(place)) ?? 0;
  const all = (kind: VolumeCount['kind']): number => amount({ kind, day: null, scope: null });
  const messages = (place: Pick<VolumeCount, 'day' | 'scope'>) => ({
    received: amount({ kind: 'messages.received', ...place }),
    sent: amount({ kind: 'messages.sent', ...place }),
  });
  return {
    period,
    conversations: {
      created: all('conversations.created'),
      archived: all('conversations.archived'),
      reopened: all('conversations.reopened'),
      open: all('conversations.open'),
    },
    messages: messages({ day: null, scope: null }),
    comments: all('comments'),
    drafts: { created: all('drafts.created') },
    contacts: { created: all('contacts.created') },
    events: { created: all('events.created') },
    tasks: { created: all('tasks.created'), completed: all('tasks.completed') },
    approvals: {
      pending: all('approvals.pending'),
      approved: all('approvals.approved'),
      rejected: all('approvals.rejected'),
    },
    byDay: daysOf(period).map((date) => ({
      date,
      ...messages({ day: date, scope: null }),
      newConversations: amount({ kind: 'conversations.created', day: date, scope: null }),
    })),
    byMailbox: mailboxes.map((mailbox) => ({
      mailbox,
      ...messages({ day: null, scope: mailbox }),
    })),
  };
}

const keyOf = ({ kind, day, scope }: Omit<VolumeCount, 'amount'>): string =>
  JSON.stringify([kind, day, scope]);

/** Every day of a period, in order. Days of the calendar, counted in UTC, where each has 24 hours. */
function daysOf({ from, to }: AnalyticsPeriod): string[] {
  const first = Date.parse(from);
  const count = (Date.parse(to) - first) / dayMs + 1;
  return Array.from({ length: count }, (_, i) =>
    new Date(first + i * dayMs).toISOString().slice(0, 10),
  );
}

/** Volumes that services count when they happen, each with a time; a name is a path in `Volumes`. */
export const volumeKinds = [
  'conversations.created',
  'conversations.archived',
  'conversations.reopened',
  'messages.received',
  'messages.sent',
  'comments',
  'drafts.created',
  'contacts.created',
  'events.created',
  'tasks.created',
  'tasks.completed',
  'approvals.approved',
  'approvals.rejected',
] as const;

/** Gauges that services count on request, whatever the period. */
export const gaugeKinds = ['conversations.open', 'approvals.pending'] as const;

export type VolumeKind = (typeof volumeKinds)[number];
export type GaugeKind = (typeof gaugeKinds)[number];

/** Number of times that something happened: on a day, for a scope, or, with neither, in the whole period. */
export class VolumeCount {
  @OneOf([...volumeKinds, ...gaugeKinds], 'What is counted.')
  kind!: VolumeKind | GaugeKind;

  @Day('The day; null for the whole period.', { nullable: true })
  day!: string | null;

  @Text('What it is counted for, such as a mailbox’s address; null for everything.', {
    max: 320,
    nullable: true,
  })
  scope!: string | null;

  @Count('How often.', { max: Number.MAX_SAFE_INTEGER })
  amount!: number;
}

/** A service's share of the volumes. */
export class ServiceVolumes {
  @ListOf(() => VolumeCount, 'Every count that is not zero.', { max: 100_000 })
  counts!: VolumeCount[];
}

/** Days of a period at most: a leap year. */
export const periodDaysMax = 366;

const max = Number.MAX_SAFE_INTEGER;

/** The period that a summary covers. */
export class AnalyticsPeriod {
  @Day('First day.')
  from!: string;

  @Day('Last day, included.')
  to!: string;

  @Text('Time zone of the workspace (IANA): its days are counted.', { max: 60 })
  timeZone!: string;
}

/** Volumes of conversations. */
export class ConversationVolumes {
  @Count('Begun by a message.', { max })
  created!: number;

  @Count('Archived, each time.', { max })
  archived!: number;

  @Count('Brought back to the inbox, by hand or by a new message, each time.', { max })
  reopened!: number;

  @Count('In an inbox with status `open`: now, whatever the period.', { max })
  open!: number;
}

/** Messages by direction. */
export class MessageVolumes {
  @Count('Received.', { max })
  received!: number;

  @Count('Sent.', { max })
  sent!: number;
}

/** Number of records that were created. */
export class CreatedVolume {
  @Count('Created.', { max })
  created!: number;
}

/** Volumes of tasks. */
export class TaskVolumes extends CreatedVolume {
  @Count('Completed, each time.', { max })
  completed!: number;
}

/** Volumes of approval requests. */
export class ApprovalVolumes {
  @Count('Waiting now, whatever the period.', { max })
  pending!: number;

  @Count('Approved.', { max })
  approved!: number;

  @Count('Rejected.', { max })
  rejected!: number;
}

/** A day of the period. */
export class DayVolumes extends MessageVolumes {
  @Day('The day.')
  date!: string;

  @Count('Conversations begun by a message.', { max })
  newConversations!: number;
}

/** A mailbox in the period. */
export class MailboxVolumes extends MessageVolumes {
  @Email('The mailbox.')
  mailbox!: string;
}

/** Volumes of a period, in the whole workspace (`decisions.md` §4). */
export class Volumes {
  @Part(() => ConversationVolumes, 'Conversations.')
  conversations!: ConversationVolumes;

  @Part(() => MessageVolumes, 'Messages.')
  messages!: MessageVolumes;

  @Count('Internal comments written.', { max })
  comments!: number;

  @Part(() => CreatedVolume, 'Drafts.')
  drafts!: CreatedVolume;

  @ListOf(() => DayVolumes, 'Every day of the period, in order.', { max: periodDaysMax })
  byDay!: DayVolumes[];

  @ListOf(() => MailboxVolumes, 'The mailboxes that are granted, by address.', { max: 10_000 })
  byMailbox!: MailboxVolumes[];

  @Part(() => AnalyticsPeriod, 'What is covered.')
  period!: AnalyticsPeriod;

  @Part(() => CreatedVolume, 'Contacts.')
  contacts!: CreatedVolume;

  @Part(() => CreatedVolume, 'Calendar events.')
  events!: CreatedVolume;

  @Part(() => TaskVolumes, 'Tasks.')
  tasks!: TaskVolumes;

  @Part(() => ApprovalVolumes, 'Approval requests.')
  approvals!: ApprovalVolumes;
}

/** Input of the summary. */
export class GetAnalyticsSummary {
  @Day('First day in the workspace’s time zone; 29 days before the last one when absent.', {
    optional: true,
  })
  from?: string;

  @Day('Last day, included; today when absent. The period has at most 366 days.', {
    optional: true,
  })
  to?: string;
}

/** Analytics of a period: volumes, not how well it went. */
export class AnalyticsSummary {
  @Part(() => Volumes, 'How much there was of what.')
  volumes!: Volumes;

  @OneOf(['volumes_only'], 'Which metrics there are: volumes alone.')
  metricAvailability!: 'volumes_only';
}

/** Answer of the summary. */
export class AnalyticsAnswer extends AnswerOf('summary', () => AnalyticsSummary, 'The summary.') {}

/** Figures of the whole workspace, gathered by the gateway (public-api.md §4). */
export const analytics = family('access', 'analytics', {
  summary: operation({
    http: 'GET /v1/analytics/summary',
    scope: 'read:analytics',
    summary: 'Count what there was in a period, by day and by mailbox',
    input: GetAnalyticsSummary,
    output: AnalyticsAnswer,
  }),
});
