import type { PartSource } from './part-source.js';

/** Reasons to suspect a message, found in the message itself. */
export type Suspicion =
  'sender_name' | 'lookalike_domain' | 'hidden_text' | 'instructions' | 'misleading_link';

/** A correspondent as the message names it. `email` is never empty. */
export interface Address {
  readonly email: string;
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

export type Priority = 'high' | 'normal' | 'low';

/**
 * A parsed message, as plain data. Every string can be stored as PostgreSQL text (no NUL,
 * no lone surrogate) and is bounded by `limits`, whatever the bytes were.
 */
export interface ParsedMessage {
  readonly subject: string;
  readonly from: Address | null;
  readonly to: readonly Address[];
  readonly cc: readonly Address[];
  readonly bcc: readonly Address[];
  readonly replyTo: readonly Address[];
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
  readonly preview: string;
  /** The message asked for remote images or styles; `html` does not load them. */
  readonly hasRemoteContent: boolean;
  readonly attachments: readonly ParsedAttachment[];
  /** Sent by a machine: answering it may start a loop (RFC 3834). */
  readonly isAutoReply: boolean;
  /** A report that a message was delivered, late or not at all (RFC 3464, or what looks like one). */
  readonly isBounce: boolean;
  readonly priority: Priority | null;
  /** A calendar part that asks for something, or answers, as iCalendar. */
  readonly calendar?: string;
  /** Reasons to suspect the message, found in the message itself. */
  readonly suspicions: readonly Suspicion[];
  /** False when the message could not be parsed and is shown by the plain fallback. */
  readonly parsed: boolean;
}
