import { createHash, createHmac } from 'node:crypto';
import {
  base64Length,
  wireAddress,
  type AttachedFile,
  type EventActor,
  type EventSource,
  type Recipient,
  type SendMessage,
  type SendReceipt,
  type SendReply,
} from '@postroom/contracts';
import { canonicalJson } from '@postroom/operations';

/** A send, whichever route it came by. */
export interface SendRequest extends Omit<SendMessage, 'threadId'> {
  /** The conversation it belongs to; a new one when null. */
  readonly threadId: string | null;
  /** The draft that it is, which its receipt removes. */
  readonly draft?: string;
  /** SHA-256 of `dlpWarningToken`, where that itself is not kept. */
  readonly dlpWarningHash?: string;
}

export const newMessage = (input: SendMessage): SendRequest => ({
  ...input,
  threadId: input.threadId ?? null,
});

export const reply = ({ id, ...input }: SendReply): SendRequest => ({ ...input, threadId: id });

/**
 * The fingerprint that an Idempotency-Key is bound to: all that decides what leaves, however it was spelled, the
 * bytes of files by their hash; not the route, and not the token that overrides a warning. A change of its
 * format is a new one of `fingerprintVersions`.
 */
export function fingerprintOf(request: SendRequest): string {
  const { mailbox, threadId, to, cc, bcc, subject, body, attachments } = request;
  const { inReplyTo = null, priority = null, signatureId } = request;
  const files = attachments.map((file) => ({
    filename: file.filename,
    mimeType: file.mimeType,
    sha256: sha256Of(file),
  }));
  const content = { subject, body, signatureId, inReplyTo, priority, files };
  const payload = { mailbox, threadId, to, cc, bcc, ...content };
  return createHash('sha256').update(canonicalJson(payload)).digest('base64url');
}

/** A file of a draft never changes, so its id says which bytes it has. */
const sha256Of = ({ contentBase64: content, uploadId }: AttachedFile): string => {
  if (uploadId !== undefined) return uploadId;
  return typeof content === 'string'
    ? createHash('sha256').update(content, 'base64').digest('hex')
    : content.sha256;
};

/**
 * The Message-ID of a send (RFC 5322 §3.6.4), without angle brackets: the same however often the key is
 * used, and not disclosing the key.
 */
export function messageIdOf(
  key: Uint8Array,
  tenantId: string,
  mailbox: string,
  idempotencyKey: string,
): string {
  const what = JSON.stringify([tenantId, mailbox, idempotencyKey]);
  const name = createHmac('sha256', key).update(what).digest('hex').slice(0, 40);
  return `pr.${name}@${wireAddress(mailbox).slice(mailbox.lastIndexOf('@') + 1)}`;
}

/** About the bytes of the message that it becomes. */
export const sizeOf = ({ body, attachments }: SendRequest): number =>
  attachments.reduce(
    (sum, { contentBase64: content }) =>
      sum + (typeof content === 'string' ? content.length : base64Length(content.size)),
    body.length * 2,
  );

/** A message as it is stored while it is sent: all that its receipt needs beside its bytes. */
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
  /** The declared types of its files, in order. */
  readonly declaredTypes?: readonly (string | null)[];
  /** The draft that it is, which its receipt removes. */
  readonly draft?: string | undefined;
}

/** Every address of a message once, as it was given first. */
export function addressesOf({ to, cc, bcc }: Pick<Outgoing, 'to' | 'cc' | 'bcc'>): string[] {
  return [...new Set([...to, ...cc, ...bcc].map(({ email }) => email))];
}
