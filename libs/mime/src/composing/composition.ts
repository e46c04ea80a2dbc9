import type { ReadMessage } from '../parsing/message-parser.js';

/** A correspondent of an outgoing message. */
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

/** An attached file, with its bytes or their place in the blob store. */
export interface ComposedFile {
  readonly filename: string | null;
  /** The media type that the sender declares; used if the bytes do not show it. */
  readonly declaredType: string | null;
  readonly content: Uint8Array | StoredBytes;
}

/** The signature below a message. */
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

/** The parts of a message to be composed; hidden recipients are in the envelope only. */
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

/** An outgoing message, with what was derived while it was composed. */
export interface Composed {
  readonly raw: Uint8Array;
  /** Null if the body is plain text. */
  readonly html: string | null;
  readonly text: string;
  /** The real media types of the files, in their order. */
  readonly fileTypes: readonly string[];
  /** The message as parsed, for its conversation. */
  readonly parsed: ReadMessage;
}
