import {
  actorOf,
  type Caller,
  type CallerKey,
  type Decision,
  memberOf,
  signReply,
  verifyCaller,
  waitsForApproval,
} from '@postroom/access';
import { type ReplyEnvelope, type RequestEnvelope, UnverifiedRecord } from '@postroom/bus';
import {
  gatewayService,
  instantiate,
  type Operation,
  operationsById,
  Problem,
  type ServiceName,
} from '@postroom/contracts';
import type { Origin } from './context.js';
import { fingerprint } from './canonical-json.js';
import type { CallerKeys } from './encrypted-calls.js';
import type { Claim } from './recording.js';

/** A request whose deadline and signature have been verified. */
export interface Call {
  readonly operation: Operation;
  readonly caller: Caller;
  readonly input: object;
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
  const operation = operationsById.get(request.operation);
  const key = operation ? keyOf(operation, keys) : keys.callerKey;
  if (!key || !verifyCaller(key, request, signature)) {
    const fault = `came with a Caller that ${signerOf(operation)} did not sign`;
    throw new UnverifiedRecord(`${request.operation} ${fault}`);
  }
  if (!operation || Date.now() >= deadlineMs) throw new Problem('SERVICE_UNAVAILABLE');
  const values = JSON.parse(input.toString()) as object;
  return {
    operation,
    caller: JSON.parse(caller) as Caller,
    input: instantiate(operation.input, values),
    request,
  };
}

/** Signs a reply with the key of the asking service; for an operation that is not known, with the service's own. */
export function replySignature(
  { operation: id }: RequestEnvelope,
  reply: ReplyEnvelope,
  keys: VerificationKeys,
): string {
  const operation = operationsById.get(id);
  const key = (operation && keyOf(operation, keys)) ?? keys.callerKey;
  return signReply(key, reply);
}

/** The service whose key calls of an operation are signed and encrypted with: its own, or that of the service which calls it. */
export const keyHolderOf = ({ service, calledBy }: Operation): ServiceName =>
  calledBy === gatewayService ? service : calledBy;

/** The only key that may sign a request for the operation. */
const keyOf = (
  { calledBy }: Operation,
  { callerKey, keysOfCallers = {} }: VerificationKeys,
): CallerKey | undefined => (calledBy === gatewayService ? callerKey : keysOfCallers[calledBy]);

const signerOf = (
  { calledBy }: Pick<Operation, 'calledBy'> = { calledBy: gatewayService },
): string => (calledBy === gatewayService ? 'the gateway' : `the service ${calledBy}`);

/** The tenant, actor and source of the changes that a call makes. */
export const originOf = ({ caller }: Call): Origin => ({
  tenantId: caller.tenantId,
  actor: actorOf(caller),
  source: caller.source,
  approvedBy: decisionOf(caller)?.memberId,
});

/**
 * Identifies a repeat: by the caller's own Idempotency-Key for this operation, or, without one, by the
 * message itself (a redelivery of the bus).
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
    fingerprint:
      idempotencyKey === null
        ? 'message'
        : (decisionOf(caller)?.fingerprint ?? fingerprint(operation.id, input)),
    approvalId: decisionOf(caller)?.approvalId,
  };
}

/** The approval under which a call is made; null for a call that did not need approval. */
const decisionOf = (caller: Caller): Decision | null =>
  caller.type === 'key' ? (caller.decision ?? null) : null;

/**
 * Refuses a write of an agent that needs an approval and has none; a preview needs none. The gateway has
 * checked this already: a second check in case it did not.
 * @throws Error
 */
export function requireDecision(operation: Operation, caller: Caller, preview: boolean): void {
  if (preview || operation.approval !== 'eligible' || !waitsForApproval(caller)) return;
  if (!caller.decision) throw new Error(`${operation.id} of an agent came without an approval`);
}

/** The input of an approved write, with the version that its resource had when the approval was filed. */
export function inputAsApproved(operation: Operation, caller: Caller, input: object): object {
  const { version = null } = decisionOf(caller) ?? {};
  const takesVersion = operation.fields.header.some(({ name }) => name === 'ifMatch');
  if (version === null || !takesVersion) return input;
  const asked = Object.create(Object.getPrototypeOf(input) as object) as object;
  return Object.assign(asked, input, { ifMatch: version });
}

/** Headers of an answer. */
export type Headers = Record<string, string>;

/** A reply that does not refuse. */
export const reply = (
  request: RequestEnvelope,
  status: number,
  headers: Readonly<Headers>,
  body: string | Buffer,
): ReplyEnvelope => ({
  id: request.id,
  status,
  headers,
  problem: null,
  body: typeof body === 'string' ? Buffer.from(body) : body,
});
