import { taskOfThread } from '@postroom/service/threads';
import { answerTo, type SeriesQuestion } from '../recurrence/questions.js';
import {
  busyTimes,
  expandWindow,
  type BusyTask,
  type BusyTimes,
  type ExpandedWindow,
  type WindowTask,
} from './occurrences.js';

export type ExpansionTask = WindowTask | BusyTask | SeriesQuestion;
export type ExpansionAnswer = ExpandedWindow | BusyTimes | number | null;

/** Runs in the expanding thread. */
export default taskOfThread((task: ExpansionTask): ExpansionAnswer => {
  if ('ask' in task) return answerTo(task);
  return 'found' in task ? expandWindow(task) : busyTimes(task);
});
