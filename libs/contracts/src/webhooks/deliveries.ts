import { AnswerOf } from '../answers.js';
import { Count, Id, Instant, JsonObject, ListOf, OneOf, Part, Text } from '../fields/index.js';
import { IdOf } from '../inputs.js';
import { family, operation } from '../operation.js';
import { subscribedTypes, type SubscribedType } from '../events.js';

export const deliveryStatuses = ['pending', 'succeeded', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Attempts of a delivery (public-api.md §6). */
export const attemptsMax = 4;
/** Bytes of an answer's body that are kept, and of a request's that lists show. */
export const excerptBytesMax = 4096;
/** Deliveries that one call redelivers. */
export const redeliveriesMax = 10_000;

/** Failures of an attempt; none discloses more of a network than that it could not be reached. */
export const attemptErrors = [
  'name_not_found',
  'target_refused',
  'unreachable',
  'tls_failed',
  'timed_out',
  'bad_answer',
  'status',
  'interrupted',
] as const;
export type AttemptError = (typeof attemptErrors)[number];

/** One POST of a delivery. */
export class DeliveryAttempt {
  @Count('Which one, from 1 on.', { min: 1, max: attemptsMax })
  number!: number;

  @Instant('When it began.')
  at!: string;

  @Count('How long it took, milliseconds; null while it is under way.', {
    max: 600_000,
    nullable: true,
  })
  durationMs!: number | null;

  @Count('HTTP status of the answer; null when there was none.', { max: 999, nullable: true })
  status!: number | null;

  @OneOf(
    attemptErrors,
    'What it failed of; null when it succeeded or is under way. `interrupted`: the service stopped.',
    { nullable: true },
  )
  error!: AttemptError | null;

  @Text(
    'First 4 KiB of the answer’s body; null when there was none, and for targets that the operator allow-listed.',
    { max: excerptBytesMax, nullable: true },
  )
  responseExcerpt!: string | null;
}

/** The request of an attempt. */
export class DeliveryRequest {
  @JsonObject('The headers, by name in lower case, the signatures among them; never a secret.')
  headers!: Readonly<Record<string, unknown>>;

  @Text('The body; its first 4 KiB in lists. Null once the event is no longer kept.', {
    max: Number.MAX_SAFE_INTEGER,
    nullable: true,
  })
  body!: string | null;
}

/** The delivery of an event to a subscription. */
export class Delivery {
  @Id('dlv', 'The delivery.')
  id!: string;

  @Id('whk', 'The subscription.')
  webhookId!: string;

  @Id('evn', 'The event.')
  eventId!: string;

  @OneOf(subscribedTypes, 'Type of the event, under the name that the subscription asks for.')
  eventType!: SubscribedType;

  @OneOf(deliveryStatuses, 'Pending while attempts are left.')
  status!: DeliveryStatus;

  @Count('Which redelivery of the event it is; 0 for the first delivery.', {
    max: Number.MAX_SAFE_INTEGER,
  })
  redelivery!: number;

  @Instant('Creation.')
  createdAt!: string;

  @Instant('When the next attempt is due; null when there is none, or earlier ones go first.', {
    nullable: true,
  })
  nextAttemptAt!: string | null;

  @ListOf(() => DeliveryAttempt, 'Attempts, first made first.', { max: attemptsMax })
  attempts!: DeliveryAttempt[];

  @Part(() => DeliveryRequest, 'The request of the last attempt that has ended; null before.', {
    nullable: true,
  })
  request!: DeliveryRequest | null;
}

/** Input of the deliveries of an event. */
export class ListEventDeliveries {
  @Id('evn', 'The event.')
  eventId!: string;

  @Count('Deliveries on a page.', { min: 1, max: 100, default: 50 })
  limit!: number;

  @Text('`nextPageToken` of the page before.', { max: 2000, optional: true })
  pageToken?: string;
}

/** Input of the history. */
export class ListDeliveries extends IdOf('whk', 'The subscription.') {
  @OneOf(deliveryStatuses, 'Those of this status only.', { optional: true })
  status?: DeliveryStatus;

  @OneOf(subscribedTypes, 'Those of this event type only.', { optional: true })
  event?: SubscribedType;

  @Count('Deliveries on a page.', { min: 1, max: 100, default: 50 })
  limit!: number;

  @Text('`nextPageToken` of the page before.', { max: 2000, optional: true })
  pageToken?: string;
}

/** Input of the redelivery of what has failed. */
export class RedeliverFailed extends IdOf('whk', 'The subscription.') {
  @Instant('Deliveries that were created since then.')
  since!: string;
}

/** One delivery. */
export class DeliveryAnswer extends AnswerOf('delivery', () => Delivery, 'The delivery.') {}

/** A page of the history. */
export class DeliveryPage {
  @ListOf(() => Delivery, 'Deliveries, last created first.', { max: 100 })
  items!: Delivery[];

  @Text('Give it as `pageToken` for the next page; null on the last.', {
    max: 2000,
    nullable: true,
  })
  nextPageToken!: string | null;
}

/** Result of a redelivery. */
export class RedeliveredFailed {
  @Count('How many deliveries were created.', { max: redeliveriesMax })
  redelivered!: number;

  @Count('How many could not be, since their event is older than 7 days.', {
    max: Number.MAX_SAFE_INTEGER,
  })
  expired!: number;
}

/** The history of deliveries (public-api.md §6). */
export const deliveries = family(
  'webhooks',
  'deliveries',
  {
    list: operation({
      http: 'GET /webhooks/:id/deliveries',
      summary: 'List the deliveries of a subscription, last created first',
      input: ListDeliveries,
      output: DeliveryPage,
      problems: ['WEBHOOK_NOT_FOUND', 'INVALID_PAGE_TOKEN'],
    }),
    listOfEvent: operation({
      http: 'GET /deliveries',
      addition: true,
      summary: 'List the deliveries of an event to all subscriptions, last created first',
      input: ListEventDeliveries,
      output: DeliveryPage,
      problems: ['INVALID_PAGE_TOKEN'],
    }),
    get: operation({
      http: 'GET /deliveries/:id',
      summary: 'Read a delivery with its attempts and its whole request',
      input: IdOf('dlv', 'The delivery.'),
      output: DeliveryAnswer,
      problems: ['DELIVERY_NOT_FOUND'],
    }),
    redeliver: operation({
      http: 'POST /deliveries/:id/redeliver',
      success: 201,
      summary: 'Deliver an event again, as a delivery of its own',
      description: 'The same event id and the same bytes, with attempts of its own.',
      input: IdOf('dlv', 'The delivery.'),
      output: DeliveryAnswer,
      problems: ['DELIVERY_NOT_FOUND', 'EVENT_EXPIRED', 'WEBHOOK_DISABLED', 'DELIVERY_PENDING'],
    }),
    redeliverFailed: operation({
      http: 'POST /webhooks/:id/redeliver-failed',
      summary: 'Deliver again what has failed since a time',
      description:
        'At most 10,000 deliveries a call, the oldest first; ask again while it answers as many. What ' +
        'has been delivered again since, or waits to be, is left out.',
      input: RedeliverFailed,
      output: RedeliveredFailed,
      problems: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_DISABLED'],
    }),
  },
  { audience: 'member', admin: true },
);
