import type { ReadMessage } from '../parsing/message-parser.js';

/** A correspondent of a message that leaves. */
export interface Party {
  readonly email: string;
  readonly name: string | null;
}

/** Bytes in the blob store. */
export interface StoredBytes {
  readonly tenantId: string;
  readonly reference: string;
  readonly size: number;
}

/** A file of it, with its bytes or where they are. */
export interface ComposedFile {
  readonly filename: string | null;
  /** What the sender says it is: believed where its bytes do not tell. */
  readonly declaredType: string | null;
  readonly content: Uint8Array | StoredBytes;
}

/** What is written below a message. */
export interface Signature {
  readonly html: string;
  readonly text: string;
}

/** Signs in the name of a domain (RFC 6376). */
export interface DkimKey {
  readonly domain: string;
  readonly selector: string;
  /** PEM. */
  readonly privateKey: string;
}

/** All that a message is made from; hidden recipients are in its envelope alone. */
export interface Composition {
  readonly from: Party;
  readonly to: readonly Party[];
  readonly cc: readonly Party[];
  readonly subject: string;
  /** HTML, or plain text. */
  readonly body: string;
  readonly signature: Signature | null;
  /** Message-IDs here are without angle brackets. */
  readonly messageId: string;
  readonly inReplyTo: string | null;
  readonly references: readonly string[];
  readonly priority: 'high' | 'normal' | 'low' | null;
  /** Epoch milliseconds. */
  readonly dateMs: number;
  readonly files: readonly ComposedFile[];
  readonly dkim: DkimKey | null;
}

/** A message as it leaves, and what was found out while it was made. */
export interface Composed {
  readonly raw: Uint8Array;
  /** Null where the body is plain text. */
  readonly html: string | null;
  readonly text: string;
  /** By position, the real media types of the files. */
  readonly fileTypes: readonly string[];
  /** The message as it reads, for its conversation. */
  readonly parsed: ReadMessage;
}
