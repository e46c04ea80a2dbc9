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

/** Runs in the judging thread. */
export default taskOfThread((task: JudgeTask): JudgeAnswer => {
  if ('message' in task)
    return { hits: judgeMessage(task.rules, asItLeaves(task.message)), trials: [] };
  return { hits: [], trials: tryRules(task.rules, task.text) };
});
