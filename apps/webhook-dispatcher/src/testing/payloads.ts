import { newId, type ConversationCommented } from '@postroom/contracts';

const at = '2026-01-01T10:00:00.000Z';

/** The data of `conversation.commented`, as the mail service would say it. */
export const commented = (id: string, mailbox = 'support@acme.test'): ConversationCommented => ({
  conversation: {
    ...{ id, mailbox, subject: '', preview: '', status: 'open', placement: 'inbox' },
    ...{
      assignee: null,
      teamId: null,
      labels: [],
      unread: false,
      messageCount: 0,
      commentCount: 1,
    },
    ...{ draftCount: 0, hasAttachments: false, participants: [], from: null, lastMessageId: null },
    ...{ lastMessageAt: at, waitingSince: null, snoozedUntil: null, createdAt: at, updatedAt: at },
    version: 1,
  },
  comment: {
    id: newId('cmt'),
    author: { type: 'key', id: 'key_1', name: 'a key', email: null },
    text: 'Hello',
    createdAt: at,
  },
});
