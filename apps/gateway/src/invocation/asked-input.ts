import type { Caller } from '@postroom/access';
import {
  decode,
  Problem,
  ReachedMailbox,
  type InvokeOperation,
  type Operation,
} from '@postroom/contracts';
import { decodedInput, invalidInput } from '../calls/index.js';

/**
 * The input that a service asks an operation with, and what it must fulfil beside: no fault that the
 * service has found, and a mailbox that the key may read.
 * @throws Problem INVALID_REQUEST, MAILBOX_FORBIDDEN
 */
export function inputOf(operation: Operation, asked: InvokeOperation, caller: Caller): object {
  const { faults = [], reaching } = asked;
  if (faults.length > 0) throw invalidInput(faults);
  const input = decodedInput(operation, { body: asked.input });
  if (reaching) requireReach(reaching, caller);
  return input;
}

function requireReach(reaching: Readonly<Record<string, unknown>>, caller: Caller): void {
  const { input, violations } = decode(ReachedMailbox, { body: reaching });
  if (violations) throw invalidInput(violations);
  const isGranted = caller.type === 'key' && Object.hasOwn(caller.grants, input.mailbox);
  if (!isGranted) throw new Problem('MAILBOX_FORBIDDEN');
}
