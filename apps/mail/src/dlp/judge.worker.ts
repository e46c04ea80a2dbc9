import type { DlpTrial } from '@postroom/contracts';
import { signedBody } from '@postroom/mime/signed-body';
import { taskOfThread } from '@postroom/service/threads';
import { judgeMessage, tryRules } from './judge-message.js';
import type { Hit, JudgedMessage, JudgingRule, WrittenMessage } from './judgement.js';

/** A task of the thread: an outgoing message, or a text that rules are tried on. */
export type JudgeTask =
  | { readonly rules: readonly JudgingRule[]; readonly message: JudgedMessage | WrittenMessage }
  | {
      readonly rules: readonly (JudgingRule & { readonly enabled: boolean })[];
      readonly text: string;
    };

/** Hits of a message, trials of a text. */
export interface JudgeAnswer {
  readonly hits: Hit[];
  readonly trials: DlpTrial[];
}

const asItLeaves = (message: JudgedMessage | WrittenMessage): JudgedMessage =>
  'body' in message ? { ...message, ...signedBody(message.body, message.signature) } : message;

/**
 * CPU time of a task after which none of its rules begins, milliseconds: far below that at which the thread is ended,
 * since the tasks of others would wait for another one to start.
 */
const begunWithinMs = { message: 7_000, trial: 500 };

/** @throws Error when the rules take too long */
function* inTime<R>(rules: readonly R[], limitMs: number): Generator<R, undefined> {
  const before = process.threadCpuUsage();
  for (const rule of rules) {
    const { user, system } = process.threadCpuUsage(before);
    if (user + system > limitMs * 1_000) throw new Error('the rules take too long');
    yield rule;
  }
}

/** Runs in the judging thread. */
export default taskOfThread((task: JudgeTask): JudgeAnswer => {
  if ('message' in task) {
    const rules = inTime(task.rules, begunWithinMs.message);
    return { hits: judgeMessage(rules, asItLeaves(task.message)), trials: [] };
  }
  return { hits: [], trials: tryRules(inTime(task.rules, begunWithinMs.trial), task.text) };
});
