import type { Attachment, Message, MessageAuth } from '@postroom/contracts';
import { newId } from '@postroom/contracts/ids';
import type { ParsedAttachment, ParsedMessage } from '@postroom/mime';
import { trustOf } from '../trust.js';

/** The facts of a message beside its content. */
export interface MessageFacts {
  readonly conversationId: string;
  readonly receivedAt: string;
  readonly sizeBytes: number;
  /** The verdicts on its sender; absent if it was not checked. */
  readonly auth?: MessageAuth;
}

/** The verdicts on a sender that was not checked. */
const unknownAuth: MessageAuth = { spf: null, dkim: null, dmarc: null };

/** A parsed message as the contract shows it, with a new id; received, unless the caller says otherwise. */
export const messageOf = (
  parsed: ParsedMessage,
  { conversationId, receivedAt, sizeBytes, auth = unknownAuth }: MessageFacts,
): Message => ({
  id: newId('msg'),
  threadId: conversationId,
  direction: 'inbound',
  from: parsed.from,
  to: [...parsed.to],
  cc: [...parsed.cc],
  bcc: [],
  replyTo: [...parsed.replyTo],
  subject: parsed.subject,
  preview: parsed.preview,
  text: parsed.text,
  html: parsed.html,
  extractedText: parsed.extractedText,
  hasRemoteContent: parsed.hasRemoteContent,
  sentAt: parsed.sentAt,
  receivedAt,
  messageId: parsed.messageId,
  inReplyTo: parsed.inReplyTo,
  references: [...parsed.references],
  isAutoReply: parsed.isAutoReply,
  bounce: parsed.isBounce,
  auth,
  trust: trustOf(parsed.suspicions, auth),
  // Scheduling decides it after the message is stored.
  invitation: null,
  priority: parsed.priority,
  sizeBytes,
  providerMessageId: null,
  receiptSource: null,
  createdBy: null,
  attachments: parsed.attachments.map(attachmentOf),
});

const attachmentOf = ({ source: _, ...shown }: ParsedAttachment): Attachment => ({
  id: newId('att'),
  ...shown,
});
