import { Nothing } from '../inputs.js';
import { family, operation } from '../operation.js';
import { WebhookTestAnswer } from './settings.js';

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
