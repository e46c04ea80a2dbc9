import {
  idempotencyKeyPattern,
  isSandbox,
  Problem,
  type Creator,
  type Operation,
  type Scope,
} from '@postroom/contracts';
import type { Caller, KeyCaller } from './caller.js';

/** The facts that the checks before the body need. */
export interface CheckedRequest {
  readonly operation: Operation;
  readonly caller: Caller;
  /** The `Idempotency-Key` header as it came. */
  readonly idempotencyKey: string | undefined;
  /** The workspace's send switch. */
  readonly sendOpen: boolean;
}

type Check = (asked: CheckedRequest) => void;

const idempotencyKeyForm = new RegExp(idempotencyKeyPattern);

/** An agent key whose writes wait for a person. */
export const waitsForApproval = (caller: Caller): caller is KeyCaller =>
  caller.type === 'key' && caller.kind === 'agent' && caller.approval !== 'none';

/** Step 4: an operation that is hidden from this caller does not exist. */
const refuseHidden: Check = ({ operation, caller }) => {
  const isHidden =
    (operation.approval === 'hidden' && waitsForApproval(caller)) ||
    (operation.sandbox && !isSandbox(caller.tenantId));
  if (isHidden) throw new Problem('ROUTE_NOT_FOUND');
};

/** True for members, and for members' keys with the scope: they may read what is a member's own beside mail. */
export const mayReadBesideMail = (caller: Caller, scope: Scope): boolean =>
  caller.type === 'member' || (caller.member !== null && caller.scopes.includes(scope));

const holdsScope = ({ scope }: Operation, { scopes }: KeyCaller): boolean =>
  scope === 'any' || (scope !== null && scopes.includes(scope));

/** Step 5: the scope; for members, the role. */
const requireScope: Check = ({ operation, caller }) => {
  if (caller.type === 'member') {
    if (operation.admin && caller.role !== 'admin') throw new Problem('ADMIN_REQUIRED');
  } else if (!holdsScope(operation, caller)) {
    throw new Problem('SCOPE_MISSING');
  }
};

/** Step 6, send routes: never an agent, whatever it holds; then the switch. */
const requireSendRight: Check = ({ operation, caller, sendOpen }) => {
  if (operation.effect !== 'send') return;
  if (caller.type === 'key' && caller.kind === 'agent') throw new Problem('AGENT_CANNOT_SEND');
  if (!sendOpen) throw new Problem('SEND_SWITCH_CLOSED');
};

/** Step 7: an identified member. */
const requireMember: Check = ({ operation, caller }) => {
  if (operation.member && caller.type === 'key' && !caller.member) {
    throw new Problem('MEMBER_IDENTITY_INCOMPLETE');
  }
};

/** Step 8: present where it must be (also for every write that waits for approval), and well formed. */
const requireIdempotencyKey: Check = ({ operation, caller, idempotencyKey }) => {
  if (operation.idempotency === 'none') return;
  if (idempotencyKey === undefined) {
    const needed = operation.idempotency !== 'optional' || waitsForApproval(caller);
    if (needed) throw new Problem('IDEMPOTENCY_KEY_REQUIRED');
  } else if (!idempotencyKeyForm.test(idempotencyKey)) {
    throw new Problem('IDEMPOTENCY_KEY_MALFORMED');
  }
};

/** Steps 4 to 8 of `decisions.md` §2, in their order: all that is judged before the body is read. */
export const checksBeforeBody: readonly Check[] = [
  refuseHidden,
  requireScope,
  requireSendRight,
  requireMember,
  requireIdempotencyKey,
];

/** Steps 10 and 11: the mailbox is granted, and for a write not read-only. */
export function requireMailbox(operation: Operation, caller: Caller, address: string): void {
  if (operation.mailbox === 'none' || caller.type !== 'key') return;
  const granted = Object.hasOwn(caller.grants, address) ? caller.grants[address] : undefined;
  if (granted === undefined) throw new Problem('MAILBOX_FORBIDDEN');
  if (operation.mailbox === 'write' && granted !== 'write') throw new Problem('MAILBOX_READ_ONLY');
}

/** Step 13: whether this call is filed for approval instead of executed. */
export const needsApproval = (operation: Operation, caller: Caller): boolean =>
  operation.approval === 'eligible' && waitsForApproval(caller);

/** The caller as events and audit records name it. */
export const actorOf = (caller: Caller): Creator =>
  caller.type === 'key'
    ? { type: 'key', id: caller.keyId }
    : { type: 'member', id: caller.memberId };

/** The member behind a caller: itself, or the one its key is attached to. */
export const memberOf = (caller: Caller): string | null =>
  caller.type === 'key' ? (caller.member?.id ?? null) : caller.memberId;

/** True for the workspace's administrators, and for the administrator's key. */
export const isAdministrator = (caller: Caller): boolean =>
  caller.type === 'key' ? caller.admin : caller.role === 'admin';
