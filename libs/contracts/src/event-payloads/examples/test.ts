import type { EventExamples } from './event-examples.js';

/** Test events, as a running product has emitted them. */
export const testExamples: EventExamples = {
  'integration.test': {
    id: 'evn_01M86F2M1A3H0WHZ70PFGVSDGE',
    type: 'integration.test',
    occurredAt: '2026-11-24T09:44:30.993Z',
    tenantId: 'ten_01M86F2BKFG0NB7EFYE5HDW06V',
    apiVersion: 'v1',
    resource: {
      type: 'tenant',
      id: 'ten_01M86F2BKFG0NB7EFYE5HDW06V',
    },
    sequence: 1,
    actor: {
      type: 'key',
      id: 'key_01M86F2D3GDX95ZCHGE4MHD539',
    },
    source: 'api',
    data: {
      message: 'Webhooks of this workspace arrive.',
      webhookId: null,
    },
    previous: null,
  },
};
