import type { EventEnvelope, EventType } from '../events.js';

/** Fields of each example event; the rest is shared. */
export type EmittedEvents = Partial<
  Record<
    EventType,
    Pick<EventEnvelope, 'id' | 'occurredAt' | 'sequence' | 'data'> &
      Partial<Pick<EventEnvelope, 'tenantId' | 'actor' | 'source' | 'previous'>> & {
        readonly resource: string;
      }
  >
>;

const conversation = {
  id: 'cnv_01M86TZ6R4T22KMFENSTWDPP64',
  mailbox: 'support@acme.test',
  subject: 'Exporting conversations as CSV (2)',
  preview: 'Hi team, is there a way to export a month of conversations? Thanks, Mariana',
  status: 'open',
  placement: 'inbox',
  assignee: null,
  teamId: null,
  labels: [],
  unread: true,
  messageCount: 1,
  commentCount: 0,
  draftCount: 0,
  hasAttachments: false,
  participants: [{ email: 'mariana@example.net', name: 'Mariana Souza' }],
  from: { email: 'mariana@example.net', name: 'Mariana Souza' },
  lastMessageId: 'msg_01M86TZ6RD65RXZGFAANN2H8GA',
  lastMessageAt: '2026-11-24T13:12:22.019Z',
  waitingSince: '2026-11-24T13:12:22.019Z',
  snoozedUntil: null,
  createdAt: '2026-11-24T13:12:22.019Z',
  updatedAt: '2026-11-24T13:12:22.019Z',
  version: 1,
};

const message = {
  id: 'msg_01M86TZ6RD65RXZGFAANN2H8GA',
  threadId: 'cnv_01M86TZ6R4T22KMFENSTWDPP64',
  direction: 'inbound',
  from: { email: 'mariana@example.net', name: 'Mariana Souza' },
  to: [{ email: 'support@acme.test', name: null }],
  cc: [],
  bcc: [],
  replyTo: [],
  subject: 'Exporting conversations as CSV (2)',
  preview: 'Hi team, is there a way to export a month of conversations? Thanks, Mariana',
  text: 'Hi team,\n\nis there a way to export a month of conversations?\n\nThanks, Mariana\n\n',
  html: null,
  extractedText:
    'Hi team,\n\nis there a way to export a month of conversations?\n\nThanks, Mariana\n\n',
  hasRemoteContent: false,
  sentAt: '2026-11-24T13:12:21.000Z',
  receivedAt: '2026-11-24T13:12:22.019Z',
  messageId: 'export@example.net',
  inReplyTo: null,
  references: [],
  isAutoReply: false,
  bounce: false,
  auth: { spf: null, dkim: null, dmarc: null },
  invitation: null,
  priority: null,
  sizeBytes: 359,
  providerMessageId: null,
  receiptSource: null,
  createdBy: null,
  attachments: [],
};

const sender = { type: 'key', id: 'key_01M86F2D3GDX95ZCHGE4MHD539' } as const;

/** Events of conversations and messages, as a running product has emitted them. */
export const mailEvents: EmittedEvents = {
  'conversation.received': {
    id: 'evn_01M86TZ6S0PBWGM99V5Q22VZ29',
    occurredAt: '2026-11-24T13:12:22.019Z',
    resource: 'cnv_01M86TZ6R4T22KMFENSTWDPP64',
    sequence: 1,
    actor: { type: 'system', id: null },
    source: 'inbound',
    data: {
      conversation,
      message: { ...message, trust: { level: 'ordinary', reasons: [] } },
      dataTruncated: false,
    },
  },
  'conversation.assigned': {
    id: 'evn_01M86TZ6WN6TQM4AXYE0B9Y564',
    occurredAt: '2026-11-24T13:12:22.164Z',
    resource: 'cnv_01M86TZ6R4T22KMFENSTWDPP64',
    sequence: 4,
    data: {
      conversation: {
        ...conversation,
        assignee: 'admin@acme.test',
        labels: ['Export'],
        commentCount: 1,
        updatedAt: '2026-11-24T13:12:22.164Z',
        version: 4,
      },
    },
    previous: { assignee: null },
  },
  'conversation.labeled': {
    id: 'evn_01M86TZ6VVF4NVSZNEJQ9PBXQT',
    occurredAt: '2026-11-24T13:12:22.122Z',
    resource: 'cnv_01M86TZ6R4T22KMFENSTWDPP64',
    sequence: 3,
    data: {
      conversation: {
        ...conversation,
        labels: ['Export'],
        commentCount: 1,
        updatedAt: '2026-11-24T13:12:22.122Z',
        version: 3,
      },
    },
    previous: { labels: [] },
  },
  'conversation.commented': {
    id: 'evn_01M86TZ6TQ9QP2NZMA41TJKY1E',
    occurredAt: '2026-11-24T13:12:22.088Z',
    resource: 'cnv_01M86TZ6R4T22KMFENSTWDPP64',
    sequence: 2,
    data: {
      conversation: {
        ...conversation,
        commentCount: 1,
        updatedAt: '2026-11-24T13:12:22.088Z',
        version: 2,
      },
      comment: {
        id: 'cmt_01M86TZ6TARDW5EJWEGYAJN8D3',
        author: {
          type: 'key',
          id: 'key_01M86TZ6K6GGKCVZD9DG5CPEC5',
          name: 'Integration',
          email: 'admin@acme.test',
        },
        text: 'The export is in the settings since Monday.',
        createdAt: '2026-11-24T13:12:22.088Z',
      },
    },
  },
  'message.sent': {
    id: 'evn_01M86F3636HRAXQ5MVM5HHEQKC',
    occurredAt: '2026-11-24T09:44:49.501Z',
    tenantId: 'ten_01M86F2BKFG0NB7EFYE5HDW06V',
    resource: 'cnv_01M86F362Y927DB721SDD8CZ9B',
    sequence: 1,
    actor: sender,
    data: {
      conversation: {
        ...conversation,
        id: 'cnv_01M86F362Y927DB721SDD8CZ9B',
        subject: 'Votre commande',
        preview: 'Bonjour, elle part demain.',
        unread: false,
        participants: [{ email: 'camille@correspondent.example', name: null }],
        from: null,
        lastMessageId: 'msg_01M86F35YVTGY50G000S3B7QPY',
        lastMessageAt: '2026-11-24T09:44:49.372Z',
        waitingSince: null,
        createdAt: '2026-11-24T09:44:49.501Z',
        updatedAt: '2026-11-24T09:44:49.501Z',
      },
      message: {
        ...message,
        id: 'msg_01M86F35YVTGY50G000S3B7QPY',
        threadId: 'cnv_01M86F362Y927DB721SDD8CZ9B',
        direction: 'outbound',
        from: { email: 'support@acme.test', name: 'support' },
        to: [{ email: 'camille@correspondent.example', name: null }],
        subject: 'Votre commande',
        preview: 'Bonjour, elle part demain.',
        text: 'Bonjour, elle part demain.\n',
        extractedText: 'Bonjour, elle part demain.\n',
        sentAt: '2026-11-24T09:44:49.000Z',
        receivedAt: '2026-11-24T09:44:49.372Z',
        messageId: 'pr.721718f224a65d6e5a687996a80248065c706688@acme.test',
        sizeBytes: 326,
        providerMessageId: 'pr.721718f224a65d6e5a687996a80248065c706688@acme.test',
        receiptSource: 'smtp',
        createdBy: sender,
      },
      dataTruncated: false,
    },
  },
};
