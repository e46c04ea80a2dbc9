import { eventExamples } from './event-payloads/examples.js';
import { eventSchema } from './event-payloads/schema.js';
import {
  commentAlias,
  eventGroups,
  subscribedTypes,
  type EventType,
  type SubscribedType,
} from './events.js';
import type { JsonSchema } from './fields/index.js';

/** Types that may be subscribed to, though nothing in this product emits them yet. */
const withoutProducer: ReadonlySet<string> = new Set(eventGroups.helpdesk);

/**
 * The AsyncAPI 3 document of the webhooks: a message for each event type, with the schema that its
 * payload is emitted by, and, of a type with a producer, an event that was really emitted.
 */
export function asyncApiDocument(): object {
  return {
    asyncapi: '3.0.0',
    info: { ...info, description: generalRules },
    defaultContentType: 'application/json',
    servers: {
      subscription: {
        host: '{host}',
        protocol: 'https',
        description: 'The receiver of a subscription.',
        variables: {
          host: { default: 'hooks.example.com', description: 'Of the URL subscribed.' },
        },
      },
    },
    channels: {
      webhook: {
        address: '{path}',
        title: 'The URL of a subscription',
        description: 'Every event that it asks for, as an HTTP POST of its own.',
        parameters: { path: { description: 'Of the URL subscribed.' } },
        servers: [{ $ref: '#/servers/subscription' }],
        messages: Object.fromEntries(subscribedTypes.map((type) => [type, message(type)])),
      },
    },
    operations: {
      deliverEvent: {
        action: 'send',
        title: 'Deliver an event',
        description: 'Each event that a subscription asks for, signed with its secret.',
        security: [{ $ref: '#/components/securitySchemes/signature' }],
        channel: { $ref: '#/channels/webhook' },
        bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
        messages: subscribedTypes.map((type) => ({ $ref: `#/channels/webhook/messages/${type}` })),
      },
    },
    components: {
      messages: Object.fromEntries(subscribedTypes.map((type) => [type, described(type)])),
      schemas: { DeliveryHeaders: headers },
      securitySchemes: { signature },
    },
  };
}

const info = {
  title: 'Postroom Webhooks',
  version: '1.0.0',
  license: { name: 'Apache-2.0' },
  contact: { name: 'The administrators of the workspace' },
  tags: Object.keys(eventGroups).map((name) => ({ name })),
};

const signature = {
  type: 'httpApiKey',
  in: 'header',
  name: 'webhook-signature',
  description: 'Standard Webhooks: a receiver verifies it with the secret of its subscription.',
};

const generalRules = `Events of a workspace, delivered at least once as signed HTTP POSTs.

- A 2xx answer takes an event; any other, or none within 8 seconds, is a failed attempt. There are 4 attempts.
- \`id\` is the same in every attempt and redelivery; \`sequence\` counts the events of a resource without a gap.
- \`X-Svc-Signature\` is \`sha256=\` and the hexadecimal HMAC-SHA256 of the raw body, keyed with the whole
  secret; \`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\` are those of Standard Webhooks.
- \`comment.added\` is another name of \`conversation.commented\`: who subscribes to it receives that name.`;

const message = (type: SubscribedType) => ({ $ref: `#/components/messages/${type}` });

function described(type: SubscribedType): object {
  const emitted: EventType = type === commentAlias ? 'conversation.commented' : type;
  const example = eventExamples[emitted];
  return {
    name: type,
    title: type,
    summary: withoutProducer.has(type)
      ? 'Of the omnichannel helpdesk: it can be subscribed to, and nothing emits it yet.'
      : `Tells of ${type}.`,
    contentType: 'application/json',
    headers: { $ref: '#/components/schemas/DeliveryHeaders' },
    payload: eventSchema(emitted, { name: type }),
    ...(example && { examples: [{ name: 'emitted', payload: { ...example, type } }] }),
  };
}

const text = (description: string): JsonSchema => ({ type: 'string', description });

const headers: JsonSchema = {
  type: 'object',
  properties: {
    'X-Svc-Event': text('Type of the event, under the name that was subscribed to.'),
    'X-Svc-Delivery': text('The delivery.'),
    'X-Svc-Attempt': text('Which attempt it is, 1 to 4.'),
    'X-Svc-Signature': text(
      '`sha256=<hex>`; several during a rotation, the newest secret’s first.',
    ),
    'webhook-id': text('The event.'),
    'webhook-timestamp': text('When this attempt was signed, seconds since 1970.'),
    'webhook-signature': text('`v1,<base64>`; several during a rotation, separated by a space.'),
  },
  required: [
    ...['X-Svc-Event', 'X-Svc-Delivery', 'X-Svc-Attempt', 'X-Svc-Signature'],
    ...['webhook-id', 'webhook-timestamp', 'webhook-signature'],
  ],
};
