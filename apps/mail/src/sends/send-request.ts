import { createHash, createHmac } from 'node:crypto';
import {
  base64Length,
  wireAddress,
  type AttachedFile,
  type SendMessage,
  type SendReply,
} from '@postroom/contracts';
import { canonicalJson } from '@postroom/operations';

/** A send, whichever route it came by. */
export interface SendRequest extends Omit<SendMessage, 'threadId'> {
  /** The conversation it belongs to; a new one when null. */
  readonly threadId: string | null;
}

export const newMessage = (input: SendMessage): SendRequest => ({
  ...input,
  threadId: input.threadId ?? null,
});

export const reply = ({ id, ...input }: SendReply): SendRequest => ({ ...input, threadId: id });

/**
 * What an Idempotency-Key is bound to: all that decides what leaves, however it was spelled, the bytes
 * of files by their hash. Not the route, and not the token that overrides a warning. Another way to
 * write it is another of `fingerprintVersions`.
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

const sha256Of = ({ contentBase64: content }: AttachedFile): string =>
  typeof content === 'string'
    ? createHash('sha256').update(content, 'base64').digest('hex')
    : content.sha256;

/**
 * The Message-ID of a send (RFC 5322 §3.6.4), without angle brackets: the same however often the key is
 * used, and telling nobody which key that is.
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
