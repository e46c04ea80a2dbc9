import type { EventActor, EventSource, Recipient, SendReceipt } from '@postroom/contracts';

/** What is kept of a message while it leaves: all that its receipt needs beside its bytes. */
export interface Outgoing {
  /** The id it has as soon as it is part of a conversation. */
  readonly message: string;
  /** Null: it begins a conversation. */
  readonly conversationId: string | null;
  readonly to: readonly Recipient[];
  readonly cc: readonly Recipient[];
  readonly bcc: readonly Recipient[];
  /** ISO 8601; as its header says it, which knows no milliseconds. */
  readonly sentAt: string;
  /** ISO 8601: what arrives later is no message that it answers. What was kept before this was has none. */
  readonly writtenAt?: string;
  readonly actor: EventActor;
  readonly source: EventSource;
  readonly operation: string;
  readonly requestId: string;
  readonly dlpStatus: SendReceipt['dlpStatus'];
  /** Of its files, in their order; what was kept before this was has none. */
  readonly declaredTypes?: readonly (string | null)[];
}

/** Every address of a message once, as it was given first. */
export function addressesOf({ to, cc, bcc }: Pick<Outgoing, 'to' | 'cc' | 'bcc'>): string[] {
  return [...new Set([...to, ...cc, ...bcc].map(({ email }) => email))];
}
