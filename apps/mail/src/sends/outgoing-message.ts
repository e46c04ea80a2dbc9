import type { EventActor, EventSource, Recipient, SendReceipt } from '@postroom/contracts';

/** What is stored of a message while it is sent: all that its receipt needs beside its bytes. */
export interface Outgoing {
  /** The id that it has once it is part of a conversation. */
  readonly message: string;
  /** Null: it begins a conversation. */
  readonly conversationId: string | null;
  readonly to: readonly Recipient[];
  readonly cc: readonly Recipient[];
  readonly bcc: readonly Recipient[];
  /** ISO 8601; as its header says it, which knows no milliseconds. */
  readonly sentAt: string;
  /** ISO 8601: a message that is received later is not one that it answers. */
  readonly writtenAt?: string;
  readonly actor: EventActor;
  readonly source: EventSource;
  readonly operation: string;
  readonly requestId: string;
  readonly dlpStatus: SendReceipt['dlpStatus'];
  /** Of its files, in their order. */
  readonly declaredTypes?: readonly (string | null)[];
}

/** Every address of a message once, as it was given first. */
export function addressesOf({ to, cc, bcc }: Pick<Outgoing, 'to' | 'cc' | 'bcc'>): string[] {
  return [...new Set([...to, ...cc, ...bcc].map(({ email }) => email))];
}
