import type { MessagePort } from 'node:worker_threads';
import type { DlpTrial } from '@postroom/contracts';
import { lowerPriority } from '@postroom/service/threads';
import { judgeMessage, tryRules } from './judge-message.js';
import type { Hit, JudgedMessage, JudgingRule } from './judgement.js';

lowerPriority('below normal');

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

/** A task for the thread; it says on the port when it begins, so that a start is not timed. */
export interface StartedTask {
  readonly task: JudgeTask;
  readonly started: MessagePort;
}

/** Runs in the judging thread. */
export default function judgeTask({ task, started }: StartedTask): JudgeAnswer {
  started.postMessage(null);
  started.close();
  if ('message' in task) return { hits: judgeMessage(task.rules, task.message), trials: [] };
  return { hits: [], trials: tryRules(task.rules, task.text) };
}
