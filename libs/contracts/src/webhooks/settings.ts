import { Done, SettingsPage } from '../answers.js';
import { ListOf, OneOf, Part, SomeOf, Text } from '../fields/index.js';
import { ChangeOf, IdOf, Nothing, VersionOf } from '../inputs.js';
import { family, operation } from '../operation.js';
import { FeedEvent } from './feed-event.js';
import {
  eventsAbout,
  subscribedTypes,
  Webhook,
  webhooksMax,
  webhookUrlMax,
  type SubscribedType,
} from './subscription.js';
import { targetUrlFaults } from './target-url.js';

/** Input of the list. */
export class ListWebhooks extends Nothing {}

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

/** Input of removal. */
export class RemoveWebhook extends VersionOf('whk', 'The subscription.') {}

/** Input of rotation. */
export class RotateWebhookSecret extends IdOf('whk', 'The subscription.') {}

/** Input of a test. */
export class TestWebhook extends IdOf('whk', 'The subscription.') {}

/** One subscription. */
export class WebhookAnswer {
  @Part(() => Webhook, 'The subscription.')
  webhook!: Webhook;
}

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

/** What a test has emitted. */
export class WebhookTestAnswer extends Done {
  @Part(() => FeedEvent, 'The event that is delivered.')
  event!: FeedEvent;
}

const target = `The URL has to be https, of a host that is public: private, loopback and metadata addresses are
refused in every spelling, unless the operator has allow-listed them.`;

/** Webhook subscriptions (public-api.md §6, decisions.md §8 and §9). */
export const webhooks = family(
  'webhooks',
  'webhooks',
  {
    list: operation({
      http: 'GET /webhooks',
      effect: 'read',
      summary: 'List the webhook subscriptions',
      input: ListWebhooks,
      output: WebhookList,
    }),
    create: operation({
      http: 'POST /webhooks',
      effect: 'write',
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
      effect: 'write',
      summary: 'Change, pause, resume or enable a subscription',
      description: target,
      input: UpdateWebhook,
      output: WebhookAnswer,
      rule: (input: UpdateWebhook) => targetUrlFaults(input),
      problems: ['WEBHOOK_NOT_FOUND'],
    }),
    remove: operation({
      http: 'DELETE /webhooks/:id',
      effect: 'destroy',
      summary: 'Remove a subscription; what waits for it is not delivered',
      input: RemoveWebhook,
      output: Done,
      problems: ['WEBHOOK_NOT_FOUND'],
    }),
    rotateSecret: operation({
      http: 'POST /webhooks/:id/rotate-secret',
      effect: 'write',
      summary: 'Give a subscription a new secret; the old one signs too for 24 hours',
      input: RotateWebhookSecret,
      output: WebhookSecretAnswer,
      confidential: true,
      problems: ['WEBHOOK_NOT_FOUND'],
    }),
    test: operation({
      http: 'POST /webhooks/:id/test',
      effect: 'write',
      summary: 'Send a subscription an `integration.test` event, whatever it asks for',
      input: TestWebhook,
      output: WebhookTestAnswer,
      emits: ['integration.test'],
      problems: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_DISABLED'],
    }),
  },
  { audience: 'member', admin: true },
);
