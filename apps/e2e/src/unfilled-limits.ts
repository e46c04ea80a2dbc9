/**
 * Limits that one workspace does not fill in a product of this suite: why, and the spec that shows that another one
 * has room. It names the limit.
 */
export const unfilled: Readonly<Record<string, readonly [why: string, spec: string]>> = {
  'bus.eventHandlers': [
    'the events of a workspace come no faster than its writes are done',
    'libs/bus/src/kafka/kafka-bus.kafka.spec.ts',
  ],
  'gateway.eventStreams': [
    'one key has ten, and one workspace a hundred, of five hundred',
    'apps/gateway/src/edge/stream/event-streams.spec.ts',
  ],
  'gateway.clocks': [
    'clocks of sandboxes alone are moved, and the workspaces here are none',
    'apps/gateway/src/access/sandbox/advances.spec.ts',
  ],
  'gateway.unreadAnswers': [
    'the system takes megabytes of an answer, and fewer begin than are disconnected for reading none of the rest',
    'apps/gateway/src/edge/http/large-answers.spec.ts',
  ],
  'mail.serverConnections': [
    'the other workspace would have to send through the same server, which answers nothing',
    'apps/mail/src/outgoing/smtp-connections.spec.ts',
  ],
  'operations.calls': [
    'requests begin no faster than operations.handlers ends them',
    'libs/operations/src/operation-client.spec.ts',
  ],
  'operations.longCalls': [
    'mail.sends and webhooks.feedWaits refuse a workspace before',
    'libs/operations/src/operation-client.spec.ts',
  ],
  'operations.longHandlers': ['the same', 'libs/operations/src/engine.spec.ts'],
  'persistence.parts': [
    'bodies are in PostgreSQL, and not in a bucket',
    'libs/persistence/src/blobs/s3-writer.spec.ts',
  ],
  'webhooks.challenges': [
    'one workspace has four, of sixty-four',
    'apps/webhook-dispatcher/src/event-subscriptions.spec.ts',
  ],
  'webhooks.deliveries': [
    'those that wait are rows, which no metric of limits counts',
    'apps/webhook-dispatcher/src/queue.spec.ts',
  ],
};
