import { hashInput, type SignedParts, type SignedReplyParts } from '@postroom/access';
import type { ReplyEnvelope, RequestEnvelope } from '@postroom/bus';

/** What of a request the asking service signs: everything that decides what is done, and for whom. */
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

/** What of a reply the service signs: all of it, as it travels. */
export const signedReplyParts = (reply: ReplyEnvelope): SignedReplyParts => ({
  messageId: reply.id,
  status: reply.status,
  headers: JSON.stringify(reply.headers),
  problem: reply.problem,
  body: reply.body,
  stored: reply.bodyRef === undefined ? null : `${reply.bodyRef} ${reply.bodyBytes ?? ''}`,
});
