/** The event types that one subscribes to, by what they are about. */
export const eventTypes = [
  {
    group: 'Mail',
    items: [
      'conversation.received',
      'conversation.assigned',
      'conversation.labeled',
      'conversation.commented',
      'message.sent',
    ],
  },
  {
    group: 'Contacts',
    items: ['contact.created', 'contact.updated', 'contact.deleted', 'contact.merged'],
  },
  {
    group: 'Calendar',
    items: [
      'calendar_event.created',
      'calendar_event.updated',
      'calendar_event.deleted',
      'calendar_event.rsvp_changed',
    ],
  },
  { group: 'Tasks', items: ['task.created', 'task.updated', 'task.completed', 'task.deleted'] },
  { group: 'Tests', items: ['integration.test'] },
];
