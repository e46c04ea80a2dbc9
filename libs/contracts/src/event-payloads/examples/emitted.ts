import type { EventEnvelope, EventType } from '../../events.js';
import { eventPayloads } from '../payloads.js';

/** What events of the examples say each for itself. */
type Emitted = Pick<EventEnvelope, 'id' | 'occurredAt' | 'sequence' | 'data'> &
  Partial<Pick<EventEnvelope, 'actor' | 'source' | 'previous'>> & { readonly resource: string };

const tenantId = 'ten_01M86TYSMTMQVAYQBASYV7253H';
const key = { type: 'key', id: 'key_01M86TZ6K6GGKCVZD9DG5CPEC5' } as const;

/** An event of the workspace of the examples, made by its key where nobody else is named. */
export function emitted(type: EventType, event: Emitted): EventEnvelope {
  const { id, occurredAt, resource, sequence, data } = event;
  const { actor = key, source = 'api', previous = null } = event;
  return {
    id,
    type,
    occurredAt,
    tenantId,
    apiVersion: 'v1',
    resource: { type: eventPayloads[type].resource ?? '', id: resource },
    sequence,
    actor,
    source,
    data,
    previous,
  };
}
