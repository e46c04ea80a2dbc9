import { Id, Instant, OneOf, SomeOf, Text, Version } from '../fields/index.js';
import { eventGroups, type EventType } from '../events.js';

/** Subscriptions of a workspace (public-api.md §6). */
export const webhooksMax = 20;
/** Of a target URL, code points. */
export const webhookUrlMax = 2048;

/** A historical alias of `conversation.commented`, as a name that a subscription may use. */
export const commentAlias = 'comment.added';

/** What a subscription may ask for: every type, and the alias. */
export type SubscribedType = EventType | typeof commentAlias;

export const subscribedTypes = [
  ...Object.values(eventGroups).flat(),
  commentAlias,
] as readonly SubscribedType[] as readonly [SubscribedType, ...SubscribedType[]];

export const webhookStatuses = ['active', 'paused', 'disabled'] as const;
export type WebhookStatus = (typeof webhookStatuses)[number];

/** Why a subscription was disabled: its endpoint said so, or has failed for five days. */
export const disabledReasons = ['gone', 'failing'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

export const eventsAbout =
  'Event types that are delivered; none: all of them. `comment.added` is another name of `conversation.commented`.';

/** A webhook subscription as settings show it: without its secret. */
export class Webhook {
  @Id('whk', 'The subscription.')
  id!: string;

  @Text('Where events are posted to.', { max: webhookUrlMax })
  url!: string;

  @SomeOf(subscribedTypes, eventsAbout)
  events!: SubscribedType[];

  @Text('What it is for.', { max: 200 })
  description!: string;

  @OneOf(webhookStatuses, 'A paused one keeps its events for 7 days; a disabled one is sent none.')
  status!: WebhookStatus;

  @OneOf(disabledReasons, 'Why it was disabled; null unless it is.', { nullable: true })
  disabledReason!: DisabledReason | null;

  @Instant('Until when the secret before the last rotation signs too; null when there is none.', {
    nullable: true,
  })
  previousSecretUntil!: string | null;

  @Instant('Creation.')
  createdAt!: string;

  @Instant('Last change.')
  updatedAt!: string;

  @Version()
  version!: number;
}
