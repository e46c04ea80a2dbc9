import type { ConversationItem } from '@postroom/contracts';

export const mailbox = 'support@acme.test';
export const earlier = '2026-01-01T10:00:00.000Z';

/** A conversation that no message has come to yet. */
export const aConversation = (given: Partial<ConversationItem> = {}): ConversationItem => ({
  id: 'cnv_1',
  mailbox,
  subject: 'First subject',
  preview: '',
  status: 'open',
  placement: 'inbox',
  assignee: null,
  teamId: null,
  labels: [],
  unread: false,
  messageCount: 0,
  commentCount: 0,
  draftCount: 0,
  hasAttachments: false,
  participants: [],
  from: null,
  lastMessageId: null,
  lastMessageAt: earlier,
  waitingSince: null,
  snoozedUntil: null,
  createdAt: earlier,
  updatedAt: earlier,
  version: 3,
  ...given,
});
