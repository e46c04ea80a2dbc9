import { Done } from '../answers.js';
import { type EventType, eventGroups } from '../events.js';
import {
  Count,
  Flag,
  Instant,
  JsonObject,
  OneOf,
  Part,
  Text,
  type Violation,
} from '../fields/index.js';
import { FeedEventResource } from '../event-payloads/schema.js';
import { family, operation } from '../operation.js';
import { targetUrlFaults, webhookUrlMax } from './subscriptions.js';

/** Webhook subscriptions that agents have over MCP. */
export const eventSubscriptionsMax = { key: 20, workspace: 200 } as const;

/** The longest that one lasts without being refreshed, and what a shorter wish is raised to. */
export const subscriptionMs = { most: 24 * 3_600_000, least: 60_000 } as const;

/** Why a callback was not taken (SEP-3415). */
export type CallbackFault =
  | 'connection_refused'
  | 'timeout'
  | 'tls_error'
  | 'http_4xx'
  | 'http_5xx'
  | 'challenge_failed';

/** The identity of a subscription of a key, beside the key. */
export class UnsubscribeFromEvents {
  @Text('Where events are posted to.', { max: webhookUrlMax })
  url!: string;

  @OneOf(Object.values(eventGroups).flat(), 'The event type.')
  type!: EventType;

  @Text('Events of this mailbox only, in lower case.', { max: 320, optional: true })
  mailbox?: string;
}

/** Input of a subscription, and of its refresh. */
export class SubscribeToEvents extends UnsubscribeFromEvents {
  @Text('The secret that deliveries are signed with: `whsec_` and the base64 of 24 to 64 bytes.', {
    max: 100,
  })
  secret!: string;

  @Text('The last event seen, or `latest`; absent: from the oldest that is kept.', {
    max: 200,
    optional: true,
  })
  after?: string;

  @Count('Events that are older are passed over, milliseconds.', {
    max: Number.MAX_SAFE_INTEGER,
    optional: true,
  })
  maxAgeMs?: number;

  @Count('How long it is to last, milliseconds.', { max: Number.MAX_SAFE_INTEGER, optional: true })
  ttlMs?: number;
}

/** A subscription of a key. */
export class EventSubscription {
  @Text('The subscription; the same for the same key, URL and filter.', { max: 30 })
  id!: string;

  @Instant('Until when it has to be refreshed.')
  refreshBefore!: string;

  @Text('The cursor of the last event before those that are still to be delivered.', { max: 200 })
  cursor!: string;

  @Flag('Whether events after the given place are passed over.')
  truncated!: boolean;
}

const secretFaults = ({ secret }: SubscribeToEvents): readonly Violation[] => {
  const [, coded = ''] = /^whsec_([A-Za-z0-9+/]{32,86}={0,2})$/.exec(secret) ?? [];
  const { length } = Buffer.from(coded, 'base64');
  if (length >= 24 && length <= 64) return [];
  const message = {
    fr: '`whsec_` et le base64 de 24 à 64 octets attendus',
    en: 'expected `whsec_` and the base64 of 24 to 64 bytes',
  };
  return [{ field: 'secret', message }];
};

/** Webhook subscriptions of agents, over MCP alone: the gateway makes the call in the name of a key. */
export const eventSubscriptions = family(
  'webhooks',
  'eventSubscriptions',
  {
    subscribe: operation({
      http: 'POST /services/webhooks/event-subscriptions',
      scope: 'any',
      summary: 'Subscribe a URL to the events that a key may see, or refresh that',
      input: SubscribeToEvents,
      output: EventSubscription,
      rule: (input: SubscribeToEvents) => [...targetUrlFaults(input), ...secretFaults(input)],
      confidential: true,
      problems: ['TOO_MANY_EVENT_SUBSCRIPTIONS', 'CALLBACK_FAILED', 'TOO_MANY_SECRETS'],
      // A challenge of 8 s.
      deadlineMs: 12_000,
    }),
    unsubscribe: operation({
      http: 'DELETE /services/webhooks/event-subscriptions',
      scope: 'any',
      summary: 'End a subscription of a key; what waits for it is not delivered',
      input: UnsubscribeFromEvents,
      output: Done,
      problems: ['WEBHOOK_NOT_FOUND'],
    }),
  },
  { audience: 'service' },
);

/** Input of the question whether a key may see an event. */
export class JudgeEvent {
  @OneOf(Object.values(eventGroups).flat(), 'Its type.')
  type!: EventType;

  @Text('Its mailbox; null of one without.', { max: 1000, nullable: true })
  mailbox!: string | null;

  @Part(() => FeedEventResource, 'What it happened to.')
  resource!: FeedEventResource;

  @JsonObject('What its data say of the place of the resource: book or calendar.')
  data!: Readonly<Record<string, unknown>>;
}

/** The judgement whether a key may see an event now. */
export class EventJudgement {
  @OneOf(['shown', 'hidden', 'ended'], '`ended`: the key is valid no more.')
  verdict!: 'shown' | 'hidden' | 'ended';
}

/** The question of the dispatcher before it posts an event to the URL of a key's agent. */
export const shownEvents = family(
  'access',
  'shownEvents',
  {
    judge: operation({
      http: 'GET /services/access/shown-event',
      summary:
        'Judge whether the scopes, member, grants, books and calendars of a key cover an event now',
      input: JudgeEvent,
      output: EventJudgement,
      calledBy: 'webhooks',
    }),
  },
  { audience: 'service' },
);
