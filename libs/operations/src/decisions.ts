import { waitsForApproval, type Caller, type Decision } from '@postroom/access';
import type { Operation } from '@postroom/contracts';

/** The approval under which a call is made; null for a call that did not need approval. */
export const decisionOf = (caller: Caller): Decision | null =>
  caller.type === 'key' ? (caller.decision ?? null) : null;

/**
 * The second wall behind the gateway's queue: a write of an agent that has to wait is done for a decision,
 * or looked at in advance.
 * @throws Error for any other
 */
export function requireDecision(operation: Operation, caller: Caller, preview: boolean): void {
  if (preview || operation.approval !== 'eligible' || !waitsForApproval(caller)) return;
  if (!caller.decision) throw new Error(`${operation.id} of an agent came without an approval`);
}

/** The input of a write that was approved: its resource must still be as it was when it was filed. */
export function inputAsApproved(operation: Operation, caller: Caller, input: object): object {
  const { version = null } = decisionOf(caller) ?? {};
  const takesVersion = operation.fields.header.some(({ name }) => name === 'ifMatch');
  if (version === null || !takesVersion) return input;
  const asked = Object.create(Object.getPrototypeOf(input) as object) as object;
  return Object.assign(asked, input, { ifMatch: version });
}
