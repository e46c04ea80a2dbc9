import {
  actorOf,
  memberOf,
  signReply,
  verifyCaller,
  type Caller,
  type CallerKey,
} from '@postroom/access';
import { UnverifiedRecord, type ReplyEnvelope, type RequestEnvelope } from '@postroom/bus';
import {
  gatewayService,
  instantiate,
  operationById,
  Problem,
  type Operation,
} from '@postroom/contracts';
import type { Origin } from './context.js';
import { decisionOf } from './decisions.js';
import { fingerprint } from './fingerprint.js';
import type { CallerKeys } from './operation-client.js';
import { signedParts, signedReplyParts } from './signed-parts.js';
import type { Claim } from './recording.js';
import { decodeUnknown, type UnknownReferences } from './unknown-references.js';

/** A request of which deadline and signature have been verified. */
export interface Call {
  readonly operation: Operation;
  readonly caller: Caller;
  readonly input: object;
  readonly unknownReferences: UnknownReferences;
  readonly request: RequestEnvelope;
}

/** The keys that requests to a service are signed with. */
export interface VerificationKeys {
  /** The service's key: a Caller that is not signed with it is refused. */
  readonly callerKey: CallerKey;
  /** Keys of the services that call operations of this one without the gateway (`calledBy`). */
  readonly keysOfCallers?: CallerKeys;
}

/**
 * Checks signature and deadline before anything else of the request is read.
 * @throws UnverifiedRecord when the signature is not that of who may call the operation
 * @throws Problem SERVICE_UNAVAILABLE when it came too late, or the service does not know the operation
 */
export function verifiedCall(request: RequestEnvelope, keys: VerificationKeys): Call {
  const { deadlineMs, caller, signature, input } = request;
  const operation = operationById(request.operation);
  const key = operation ? keyOf(operation, keys) : keys.callerKey;
  if (!key || !verifyCaller(key, signedParts(request), signature)) {
    const fault = `came with a Caller that ${signerOf(operation)} did not sign`;
    throw new UnverifiedRecord(`${request.operation} ${fault}`);
  }
  if (!operation || Date.now() >= deadlineMs) throw new Problem('SERVICE_UNAVAILABLE');
  const values = JSON.parse(input.toString()) as object;
  return {
    operation,
    caller: JSON.parse(caller) as Caller,
    input: instantiate(operation.input, values),
    unknownReferences: decodeUnknown(request.references),
    request,
  };
}

/** The signature of a reply, under the key of who asked; of what the service does not know, its own. */
export function replySignature(
  { operation: id }: RequestEnvelope,
  reply: ReplyEnvelope,
  keys: VerificationKeys,
): string {
  const operation = operationById(id);
  const key = (operation && keyOf(operation, keys)) ?? keys.callerKey;
  return signReply(key, signedReplyParts(reply));
}

/** Which key has signed a request for the operation; no other one will do. */
const keyOf = (
  { calledBy }: Operation,
  { callerKey, keysOfCallers = {} }: VerificationKeys,
): CallerKey | undefined => (calledBy === gatewayService ? callerKey : keysOfCallers[calledBy]);

const signerOf = (
  { calledBy }: Pick<Operation, 'calledBy'> = { calledBy: gatewayService },
): string => (calledBy === gatewayService ? 'the gateway' : `the service ${calledBy}`);

/** In whose name a call changes something. */
export const originOf = ({ caller }: Call): Origin => ({
  tenantId: caller.tenantId,
  actor: actorOf(caller),
  source: caller.source,
  approvedBy: decisionOf(caller)?.memberId,
});

/**
 * What makes a repeat a repeat: the caller's own Idempotency-Key for this operation, or, without
 * one, the message itself (a redelivery of the bus).
 */
export function claimOf({ operation, caller, input, request }: Call): Claim {
  const { id: messageId, idempotencyKey } = request;
  const asking = caller.type === 'key' ? caller.keyId : memberOf(caller);
  return {
    messageId,
    dedupeKey:
      idempotencyKey === null
        ? `message ${messageId}`
        : `key ${asking} ${operation.id} ${idempotencyKey}`,
    // The message's id suffices; a hash of inputs that hold passwords is not stored without need.
    fingerprint: idempotencyKey === null ? 'message' : fingerprint(operation.id, input),
    approvalId: decisionOf(caller)?.approvalId,
  };
}
