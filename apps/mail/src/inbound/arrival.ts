import type { ReadMessage } from '@postroom/mime';
import type { Recipient } from './recipient.js';

/** A message that has arrived for one mailbox. */
export interface Arrival {
  readonly recipient: Recipient;
  readonly parsed: ReadMessage;
  /** The trace header of its arrival (RFC 5321 §4.4), lines ended with CRLF. */
  readonly trace: string;
  /** Its bytes as they came. */
  readonly raw: Buffer;
}
