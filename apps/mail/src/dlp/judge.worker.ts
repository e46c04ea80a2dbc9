import type { DlpTrial } from '@postroom/contracts';
import { taskOfThread } from '@postroom/service/threads';
import { judgeMessage, tryRules } from './judge-message.js';
import type { Hit, JudgedMessage, JudgingRule } from './judgement.js';

/** A task of the thread: an outgoing message, or a text that rules are tried on. */
export type JudgeTask =
  | { readonly rules: readonly JudgingRule[]; readonly message: JudgedMessage }
  | {
      readonly rules: readonly (JudgingRule & { readonly enabled: boolean })[];
      readonly text: string;
    };

/** Hits of a message, trials of a text. */
export interface JudgeAnswer {
  readonly hits: Hit[];
  readonly trials: DlpTrial[];
}

/** Runs in the judging thread. */
export default taskOfThread((task: JudgeTask): JudgeAnswer => {
  if ('message' in task) return { hits: judgeMessage(task.rules, task.message), trials: [] };
  return { hits: [], trials: tryRules(task.rules, task.text) };
});
