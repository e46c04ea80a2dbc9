import type { GmailLabels } from './gmail-labels.js';
import type { PartSource } from './part-source.js';

/** Reasons to suspect a message, found in the message itself. */
export type Suspicion =
  | 'sender_name'
  | 'lookalike_domain'
  | 'hidden_text'
  | 'instructions'
  | 'misleading_link';

/** A correspondent as the message names it. `email` is never empty. */
export interface Address {
  readonly email: string;
  readonly name: string | null;
}

/** The author that a message names: at least one of the two is there. */
export interface Author {
  readonly email: string | null;
  readonly name: string | null;
}

/** A MIME part that is no body text; its bytes stay in the raw message. */
export interface ParsedAttachment {
  /** Without folders and control characters. */
  readonly filename: string | null;
  /** Detected from the leading bytes; the declared type never overrules them. */
  readonly mimeType: string;
  readonly declaredMimeType: string | null;
  /** Bytes after the transfer encoding was undone. */
  readonly size: number;
  /** Shown inside `html` by its Content-ID; anything else is listed, so nothing is hidden. */
  readonly inline: boolean;
  /** Without angle brackets. */
  readonly contentId: string | null;
  /** The place of its bytes in the message; absent if it could not be determined. */
  readonly source?: PartSource;
}

/** The content of a report on a message of ours. */
export interface Bounced {
  readonly recipient: string | null;
  /** RFC 3463. */
  readonly status: string | null;
  /** `failed`, `delayed`, … (RFC 3464 §2.3.3), or `complained` (RFC 5965). */
  readonly action: string;
  /** The reason in the words of the server, as one line. */
  readonly text: string | null;
}

export type Priority = 'high' | 'normal' | 'low';

/**
 * A parsed message, as plain data. Every string can be stored as PostgreSQL text (no NUL,
 * no lone surrogate) and is bounded by `limits`, whatever the bytes were.
 */
export interface ParsedMessage {
  readonly subject: string;
  readonly from: Author | null;
  readonly to: readonly Address[];
  readonly cc: readonly Address[];
  readonly bcc: readonly Address[];
  readonly replyTo: readonly Address[];
  /** True where one of these lists is the start of a longer one. */
  readonly recipientsTruncated: boolean;
  /** Message identifiers are kept without their angle brackets, here and in the next two. */
  readonly messageId: string | null;
  readonly inReplyTo: string | null;
  /** Oldest first; beyond the bound the first and the newest are kept. */
  readonly references: readonly string[];
  /** The `Date` header in UTC (ISO 8601), null if it is missing or no date. */
  readonly sentAt: string | null;
  readonly text: string | null;
  /** Safe to show: an allow-list of elements, attributes and styles, nothing loaded from afar. */
  readonly html: string | null;
  /** The new part of `text`, without quotes and signature; null if there is no text. */
  readonly extractedText: string | null;
  /**
   * The new part where only its references show it to be a reply, and none of them is known; absent if it does
   * not depend on them.
   */
  readonly extractedFromStranger?: string | null;
  readonly preview: string;
  /** The message asked for remote images or styles; `html` does not load them. */
  readonly hasRemoteContent: boolean;
  readonly attachments: readonly ParsedAttachment[];
  /** Sent by a machine: answering it may start a loop (RFC 3834). */
  readonly isAutoReply: boolean;
  /** A report that a message was delivered, late or not at all (RFC 3464, or what looks like one). */
  readonly isBounce: boolean;
  /** The content of a report, and the Message-ID that it is about. */
  readonly bounced?: Bounced & { readonly messageId: string | null };
  /** The person in whose name a list or a form sent it, as it says (`X-Original-From` and its like). */
  readonly behalfOf?: Address;
  /** True if `from` is the address of the list that it came through. */
  readonly isFromList?: boolean;
  /** When it was received, by its newest trace header; null if that has no date. */
  readonly tracedAt?: string | null;
  readonly gmail?: GmailLabels;
  readonly priority: Priority | null;
  /** A calendar part that asks for something, or answers, as iCalendar. */
  readonly calendar?: string;
  /** Reasons to suspect the message, found in the message itself. */
  readonly suspicions: readonly Suspicion[];
  /** False when the message could not be parsed and is shown by the plain fallback. */
  readonly parsed: boolean;
}
