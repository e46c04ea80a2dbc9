import { PostroomError } from './errors.js';
import { aborted, sleep } from './retry.js';
import type { Done, Waiting } from './types.js';

export interface WaitOptions {
  /** Gives up after so many milliseconds: ten minutes when not said. The write goes on waiting. */
  readonly timeoutMs?: number;
  /** Between two questions: five seconds when not said. */
  readonly intervalMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Waits until a person has decided about the write of an agent, by repeating the call, and gives its answer.
 *
 * @throws PostroomError when it was rejected or has expired (409, by its code), after the time (`TIMEOUT`), or by
 * the signal (`ABORTED`)
 */
export async function waitForApproval<T>(
  written: Done<T> | Waiting<T>,
  { timeoutMs = 600_000, intervalMs = 5_000, signal }: WaitOptions = {},
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (let state = written; ; state = await state.repeat()) {
    if (!state.approvalRequired) return state.answer;
    if (Date.now() + intervalMs > deadline)
      throw new PostroomError(`Nobody has decided about ${state.approval.id} yet.`, {
        ...{ status: 202, code: 'TIMEOUT', body: { approval: state.approval } },
      });
    await sleep(intervalMs, signal).catch((cause: unknown) => {
      throw aborted({ body: { approval: state.approval }, cause });
    });
  }
}
