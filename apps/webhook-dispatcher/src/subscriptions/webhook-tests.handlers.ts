import { webhookTests } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { emitTest } from './emit-test.js';

/** The webhook test of the public API. */
export const WebhookTestsHandlers = handlers(webhookTests, {
  emit: async (context) => ({ ok: true, event: await emitTest(context, null) }),
});
