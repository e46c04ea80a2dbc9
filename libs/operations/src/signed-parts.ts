import { hashInput, type SignedParts } from '@postroom/access';
import type { RequestEnvelope } from '@postroom/bus';

/** What of a request the gateway signs: everything that decides what is done, and for whom. */
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
