import type {
  Attachment,
  Message,
  MessageAuth,
  MessageBounced,
  Participant,
} from '@postroom/contracts';
import { newId } from '@postroom/contracts/ids';
import type { ParsedAttachment, ParsedMessage } from '@postroom/mime';
import { trustOf } from '../trust.js';

/** The facts of a message beside its content. */
export interface MessageFacts {
  readonly conversationId: string;
  /** The mailbox's address, where it was received. */
  readonly mailbox?: string;
  /** False if it begins its conversation: whatever it refers to is not known. */
  readonly isKnownThread?: boolean;
  /** The message of ours that it reports on, if it does. */
  readonly reportedOn?: string | null;
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
  {
    conversationId,
    mailbox = '',
    isKnownThread = true,
    reportedOn = null,
    receivedAt,
    sizeBytes,
    auth = unknownAuth,
  }: MessageFacts,
): Message => ({
  id: newId('msg'),
  threadId: conversationId,
  direction: 'inbound',
  from: senderOf(parsed, mailbox),
  to: [...parsed.to],
  cc: [...parsed.cc],
  bcc: [],
  replyTo: [...parsed.replyTo],
  recipientsTruncated: parsed.recipientsTruncated,
  subject: parsed.subject,
  preview: parsed.preview,
  text: parsed.text,
  html: parsed.html,
  extractedText: extractedFrom(parsed, isKnownThread),
  hasRemoteContent: parsed.hasRemoteContent,
  sentAt: parsed.sentAt,
  receivedAt,
  messageId: parsed.messageId,
  inReplyTo: parsed.inReplyTo,
  references: [...parsed.references],
  isAutoReply: parsed.isAutoReply,
  bounce: parsed.isBounce,
  bounced: bouncedOf(parsed, reportedOn),
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

/** The sender; where a list or our own address stands for a person who is named beside it, that person. */
function senderOf(
  { from, behalfOf, isFromList = false }: ParsedMessage,
  mailbox: string,
): Participant | null {
  return behalfOf && (isFromList || isAddressOf(from, mailbox)) ? behalfOf : from;
}

/** True if a message names a mailbox as its author. */
export const isAddressOf = (from: Pick<Participant, 'email'> | null, mailbox: string): boolean =>
  from?.email?.toLowerCase() === mailbox.toLowerCase();

/** The new part: that of a reply, where what it refers to is known. */
const extractedFrom = (
  { extractedText, extractedFromStranger }: ParsedMessage,
  isKnownThread: boolean,
): string | null =>
  extractedFromStranger === undefined || isKnownThread ? extractedText : extractedFromStranger;

function bouncedOf({ bounced }: ParsedMessage, of: string | null): MessageBounced | null {
  if (!bounced) return null;
  const { messageId: _, ...told } = bounced;
  return { ...told, of };
}

const attachmentOf = ({ source: _, ...shown }: ParsedAttachment): Attachment => ({
  id: newId('att'),
  ...shown,
});
