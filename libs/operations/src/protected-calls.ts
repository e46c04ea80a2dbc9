import {
  type CallEncryption,
  hashInput,
  type SignedParts,
  type SignedReplyParts,
} from '@postroom/access';
import type { ReplyEnvelope, RequestEnvelope } from '@postroom/bus';
import type { Operation } from '@postroom/contracts';

/** The signed parts of a request: everything that decides what is done, and for whom. */
export const signedParts = (request: Omit<RequestEnvelope, 'signature'>): SignedParts => ({
  caller: request.caller,
  operation: request.operation,
  inputHash: hashInput(request.input),
  messageId: request.id,
  deadlineMs: request.deadlineMs,
  idempotencyKey: request.idempotencyKey,
  preview: request.preview,
  references: request.references,
});

/** The signed parts of a reply: all of it, as it travels. */
export const signedReplyParts = (reply: ReplyEnvelope): SignedReplyParts => ({
  messageId: reply.id,
  status: reply.status,
  headers: JSON.stringify(reply.headers),
  problem: reply.problem,
  body: reply.body,
  stored: reply.bodyRef === undefined ? null : `${reply.bodyRef} ${reply.bodyBytes ?? ''}`,
});

/**
 * True if an operation's input and answer travel encrypted: settings of members, and secrets. The mail that keys
 * read and write travels in clear, as it is stored.
 */
export const isEncrypted = ({ audience, confidential }: Operation): boolean =>
  confidential || audience === 'member' || audience === 'anyone';

const inputOf = ({ id }: Pick<RequestEnvelope, 'id'>): string => `input ${id}`;
const answerTo = ({ id }: Pick<RequestEnvelope, 'id'>): string => `answer ${id}`;

/** A signed request as it travels: its signature is that of the input in clear. */
export const encryptRequest = (
  encryption: CallEncryption,
  request: RequestEnvelope,
): RequestEnvelope => ({
  ...request,
  input: encryption.encrypt(request.input, inputOf(request)),
});

/** The request with its input in clear; null when it cannot be decrypted. */
export function decryptRequest(
  encryption: CallEncryption,
  request: RequestEnvelope,
): RequestEnvelope | null {
  const input = encryption.decrypt(request.input, inputOf(request));
  return input && { ...request, input };
}

/** A reply as it travels: headers set cookies. A refusal has no secret, and travels as it is. */
export function encryptReply(encryption: CallEncryption, reply: ReplyEnvelope): ReplyEnvelope {
  if (reply.problem !== null) return reply;
  const head = Buffer.from(`${JSON.stringify(reply.headers)}\n`);
  return {
    ...reply,
    headers: {},
    body: encryption.encrypt(Buffer.concat([head, reply.body]), answerTo(reply)),
  };
}

/** @throws Error when it cannot be decrypted */
export function decryptReply(encryption: CallEncryption, reply: ReplyEnvelope): ReplyEnvelope {
  if (reply.problem !== null) return reply;
  const decrypted = encryption.decrypt(reply.body, answerTo(reply));
  if (!decrypted) throw new Error('A reply came that the service has not encrypted.');
  const end = decrypted.indexOf('\n');
  const headers = JSON.parse(decrypted.toString('utf8', 0, end)) as ReplyEnvelope['headers'];
  return { ...reply, headers, body: decrypted.subarray(end + 1) };
}
