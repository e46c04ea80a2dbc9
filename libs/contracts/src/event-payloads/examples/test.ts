import { emitted } from './emitted.js';
import type { EventExamples } from './event-examples.js';

/** Test events, as a running product has emitted them. */
export const testExamples: EventExamples = {
  'integration.test': emitted('integration.test', {
    id: 'evn_01M86TZ7NCKJ20WJQH14GD5CE0',
    occurredAt: '2026-11-24T13:12:22.946Z',
    resource: 'ten_01M86TYSMTMQVAYQBASYV7253H',
    sequence: 1,
    data: { message: 'Webhooks of this workspace arrive.', webhookId: null },
  }),
};
