import { newId, type Comment, type ConversationCommented } from '@postroom/contracts';

const author = { type: 'key', id: 'key_1', name: 'a key', email: null } as const;

/** A comment that says `text`. */
export const aComment = (text: string, at = new Date()): Comment => ({
  id: newId('cmt'),
  author,
  text,
  createdAt: at.toISOString(),
});

/** The data of `conversation.commented`, as the mail service would say it. */
export const commented = (id: string, comment = aComment('Hello')): ConversationCommented => ({
  conversation: {
    ...{ id, mailbox: 'support@acme.test', subject: '', preview: '', status: 'open' },
    ...{ placement: 'inbox', assignee: null, teamId: null, labels: [], unread: false },
    ...{ messageCount: 0, commentCount: 1, draftCount: 0, hasAttachments: false },
    ...{ participants: [], from: null, lastMessageId: null, lastMessageAt: comment.createdAt },
    ...{ waitingSince: null, snoozedUntil: null, createdAt: comment.createdAt },
    ...{ updatedAt: comment.createdAt, version: 1 },
  },
  comment,
});
