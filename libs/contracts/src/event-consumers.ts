import { eventGroups, type EventGroup } from './events.js';
import {
  auditConsumer,
  invitationsConsumer,
  mailContactsConsumer,
  mailInvitationsConsumer,
  mailLinksConsumer,
  streamConsumer,
  type OutgoingGroup,
} from './internal-events.js';
import type { ServiceName } from './services.js';

/** Who consumes all events, for webhooks and the feed. */
export const webhooksConsumer = 'webhooks';

/** What a consumer of events reads, and the service it is part of. */
export interface EventConsumer {
  readonly service: ServiceName;
  readonly groups: readonly OutgoingGroup[];
}

/** Every consumer of events, by its name; a subscription takes its groups from here. */
export const eventConsumers = {
  [auditConsumer]: { service: 'access', groups: ['audit'] },
  [streamConsumer]: {
    service: 'access',
    groups: ['messaging', 'conversations', 'webhooks', 'reminders'],
  },
  [mailContactsConsumer]: { service: 'mail', groups: ['contacts', 'books'] },
  [mailLinksConsumer]: { service: 'mail', groups: ['tasks', 'calendar', 'calendars'] },
  [invitationsConsumer]: { service: 'scheduling', groups: ['invitations'] },
  [mailInvitationsConsumer]: { service: 'mail', groups: ['decisions'] },
  [webhooksConsumer]: { service: 'webhooks', groups: Object.keys(eventGroups) as EventGroup[] },
} as const satisfies Record<string, EventConsumer>;
