import type { MessageAuth } from '@postroom/contracts';
import type { ReadMessage } from '@postroom/mime';

/** A mailbox that receives a message. */
export interface ReceivingMailbox {
  readonly tenantId: string;
  readonly mailboxId: string;
  readonly address: string;
  /** Whether an event tells of the messages that it receives. */
  readonly automation: boolean;
}

/** A message that one mailbox has received, or that is imported into it. */
export interface InboundMessage {
  readonly mailbox: ReceivingMailbox;
  readonly parsed: ReadMessage;
  /** The trace header that its delivery added (RFC 5321 §4.4), lines ended with CRLF. */
  readonly trace: string;
  /** Its bytes as they came. */
  readonly raw: Buffer;
  /** Absent where its sender was not checked. */
  readonly auth?: MessageAuth;
}
