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
  /** The number of rules, from the first, that the turn had time for. */
  readonly judged: number;
}

const asItLeaves = (message: JudgedMessage | WrittenMessage): JudgedMessage =>
  'body' in message ? { ...message, ...signedBody(message.body, message.signature) } : message;

/**
 * CPU time of a turn after which no rule begins, milliseconds: tasks of other workspaces go between the turns of a long
 * one. Each turn extracts the text of a message again, up to a third of a second for a megabyte.
 */
const turnMs = { message: 1_000, trial: 100 };

/** The rules that a turn has time for, the first one at least; counts them. */
class Turn {
  judged = 0;

  *of<R>(rules: readonly R[], limitMs: number): Generator<R, undefined> {
    const before = process.threadCpuUsage();
    for (const rule of rules) {
      const { user, system } = process.threadCpuUsage(before);
      if (this.judged > 0 && user + system > limitMs * 1_000) return;
      this.judged += 1;
      yield rule;
    }
  }
}

/** Runs in the judging thread. */
export default taskOfThread((task: JudgeTask): JudgeAnswer => {
  const turn = new Turn();
  if ('message' in task) {
    const rules = turn.of(task.rules, turnMs.message);
    const hits = judgeMessage(rules, asItLeaves(task.message));
    return { hits, trials: [], judged: turn.judged };
  }
  const trials = tryRules(turn.of(task.rules, turnMs.trial), task.text);
  return { hits: [], trials, judged: turn.judged };
});
