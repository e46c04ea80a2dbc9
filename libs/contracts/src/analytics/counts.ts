import { Count, Day, ListOf, OneOf, Text } from '../fields/index.js';

/** What services count when it happens, each with a time; a name is a path in `Volumes`. */
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

/** What services count when they are asked, whatever the period. */
export const gaugeKinds = ['conversations.open', 'approvals.pending'] as const;

export type VolumeKind = (typeof volumeKinds)[number];
export type GaugeKind = (typeof gaugeKinds)[number];

/** How often something happened: on a day, for a scope, or, with neither, in the whole period. */
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
