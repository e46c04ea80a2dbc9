import { eventSchema } from '../event-payloads/index.js';
import { eventGroups } from '../events.js';
import type { JsonSchema } from '../fields/index.js';
import type { Components } from './components.js';

/** What a subscription is sent, type by type: the bodies of the events (public-api.md §6). */
export const webhooksOf = ({ refer }: Components): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(
    Object.entries(eventGroups).flatMap(([group, types]) =>
      types.map((type) => [
        type,
        {
          post: {
            tags: [group],
            summary: `Tell of ${type}`,
            // The receiver's route: it takes a signature, not an API key.
            security: [],
            requestBody: {
              required: true,
              content: {
                'application/json': { schema: eventSchema(type, 'v1', { nested: refer }) },
              },
            },
            responses: { '2XX': { description: 'Taken; any other answer is a failed attempt.' } },
          },
        },
      ]),
    ),
  );
