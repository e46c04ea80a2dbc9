import { taskOfThread } from '@postroom/service/threads';
import {
  busyTimes,
  expandWindow,
  type BusyTask,
  type BusyTimes,
  type ExpandedWindow,
  type WindowTask,
} from './expand-events.js';

export type ExpansionTask = WindowTask | BusyTask;
export type ExpansionAnswer = ExpandedWindow | BusyTimes;

/** Runs in the expanding thread. */
export default taskOfThread((task: ExpansionTask): ExpansionAnswer =>
  'found' in task ? expandWindow(task) : busyTimes(task),
);
