import {
  Id,
  Instant,
  ListOf,
  OneOf,
  Part,
  SomeOf,
  Text,
  Version,
  type Violation,
} from '../fields/index.js';
import { subscribedTypes, type SubscribedType } from '../events.js';
import { AnswerOf, Done, SettingsPage } from '../answers.js';
import { ChangeOf, IdOf, Nothing, VersionOf } from '../inputs.js';
import { family, operation } from '../operation.js';
import { FeedEvent } from '../event-payloads/schema.js';

/** Subscriptions of a workspace (public-api.md §6). */
export const webhooksMax = 20;
/** Code points of a target URL. */
export const webhookUrlMax = 2048;

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

const fault = (fr: string, en: string): Violation => ({ field: 'url', message: { fr, en } });

const noUrl = fault(
  'URL https complète attendue (https://hôte[:port]/…), sans espace ni barre oblique inverse',
  'expected a whole https URL (https://host[:port]/…), without spaces and backslashes',
);
const withUser = fault(
  'une URL sans nom d’utilisateur ni mot de passe est attendue',
  'expected a URL without user name or password',
);
const withFragment = fault('une URL sans fragment est attendue', 'expected a URL without fragment');

/**
 * Faults of a target URL by itself: its host is checked where it is stored. Without TLS only URLs that the
 * operator allow-lists may be, so both schemes pass here.
 */
export function targetUrlFaults({ url }: { readonly url?: string }): readonly Violation[] {
  if (url === undefined) return [];
  // The URL parser drops some control characters and takes backslashes for slashes.
  if (/[\s\p{C}\\]/u.test(url)) return [noUrl];
  const parsed = URL.parse(url);
  // It also reads `https:host`, and takes port 0.
  if (!parsed || !/^https?:\/\//i.test(url) || parsed.port === '0') return [noUrl];
  if (parsed.username !== '' || parsed.password !== '' || /^[^/]*\/\/[^/?#]*@/.test(url)) {
    return [withUser];
  }
  return url.includes('#') ? [withFragment] : [];
}

/** Input of creation. */
export class CreateWebhook {
  @Text('Where events are posted to: an https URL of a public host.', {
    max: webhookUrlMax,
    filled: true,
  })
  url!: string;

  @SomeOf(subscribedTypes, eventsAbout, { default: [] })
  events!: SubscribedType[];

  @Text('What it is for.', { max: 200, default: '' })
  description!: string;
}

/** Input of change: absent stays, `events` replaces the whole list. */
export class UpdateWebhook extends ChangeOf('whk', 'The subscription.', CreateWebhook, [
  'url',
  'events',
  'description',
]) {
  @OneOf(['active', 'paused'], 'Pauses it, resumes it, or enables a disabled one again.', {
    optional: true,
  })
  status?: 'active' | 'paused';
}

/** One subscription. */
export class WebhookAnswer extends AnswerOf('webhook', () => Webhook, 'The subscription.') {}

/** A subscription with its new secret. */
export class WebhookSecretAnswer extends WebhookAnswer {
  @Text('Its secret, shown this once.', { max: 100 })
  secret!: string;
}

/** All subscriptions of the workspace. */
export class WebhookList extends SettingsPage {
  @ListOf(() => Webhook, 'Subscriptions, first made first.', { max: webhooksMax })
  items!: Webhook[];
}

/** The event that a test has emitted. */
export class WebhookTestAnswer extends Done {
  @Part(() => FeedEvent, 'The event that is delivered.')
  event!: FeedEvent;
}

const target = `The URL has to be https, of a host that is public: private, loopback and metadata addresses are
refused in every spelling, unless the operator has allow-listed them: \`WEBHOOK_ALLOWED_CIDRS=127.0.0.1/32\` for a
test on one machine, where \`postroom listen\` needs no subscription at all.`;

/** Webhook subscriptions (public-api.md §6, decisions.md §8 and §9). */
export const webhooks = family(
  'webhooks',
  'webhooks',
  {
    list: operation({
      http: 'GET /webhooks',
      summary: 'List the webhook subscriptions',
      output: WebhookList,
    }),
    create: operation({
      http: 'POST /webhooks',
      success: 201,
      summary: 'Subscribe a URL to events',
      description: target,
      input: CreateWebhook,
      output: WebhookSecretAnswer,
      rule: (input: CreateWebhook) => targetUrlFaults(input),
      confidential: true,
      problems: ['TOO_MANY_WEBHOOKS'],
    }),
    update: operation({
      http: 'PATCH /webhooks/:id',
      summary: 'Change, pause, resume or enable a subscription',
      description: target,
      input: UpdateWebhook,
      output: WebhookAnswer,
      rule: (input: UpdateWebhook) => targetUrlFaults(input),
      problems: ['WEBHOOK_NOT_FOUND'],
    }),
    remove: operation({
      http: 'DELETE /webhooks/:id',
      summary: 'Remove a subscription; what waits for it is not delivered',
      input: VersionOf('whk', 'The subscription.'),
      output: Done,
      problems: ['WEBHOOK_NOT_FOUND'],
    }),
    rotateSecret: operation({
      http: 'POST /webhooks/:id/rotate-secret',
      summary:
        'Give a subscription a new secret; each old one signs too for 24 hours, three in all',
      input: IdOf('whk', 'The subscription.'),
      output: WebhookSecretAnswer,
      confidential: true,
      problems: ['WEBHOOK_NOT_FOUND', 'TOO_MANY_SECRETS'],
    }),
    test: operation({
      http: 'POST /webhooks/:id/test',
      summary: 'Send a subscription an `integration.test` event, whatever it asks for',
      input: IdOf('whk', 'The subscription.'),
      output: WebhookTestAnswer,
      emits: ['integration.test'],
      problems: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_DISABLED'],
    }),
  },
  { audience: 'member', admin: true },
);

/** Input of the test. */
export class EmitTestEvent extends Nothing {}

/** The webhook test of the public API (public-api.md §4). */
export const webhookTests = family('webhooks', 'webhookTests', {
  emit: operation({
    http: 'GET /v1/webhooks/test',
    scope: 'write:conversations',
    effect: 'write',
    keysOnly: true,
    summary: 'Emit an `integration.test` event to the subscriptions of the workspace',
    description: 'The only GET that is a write: it may answer 202 to an agent whose writes wait.',
    input: EmitTestEvent,
    output: WebhookTestAnswer,
    emits: ['integration.test'],
  }),
});
