import { ApprovalMetrics } from './approval-metrics.js';
import { ApprovalPages } from './approval-pages.js';
import { ApprovalQueue } from './approval-queue.js';
import { Closing } from './closing.js';
import { Decisions } from './decisions.js';
import { Execution } from './execution.js';
import { Receipts } from './receipts.js';
import { Visibility } from './visibility.js';

export { ApprovalQueue, pendingApprovalsMax } from './approval-queue.js';
export { cancelPending } from './approval-rows.js';
export * from './agents.handlers.js';
export * from './approvals.handlers.js';
export * from './gauges.js';
export { startSweep } from './sweep.js';
export { Closing, Execution, Receipts, Visibility };

/** What the queue is made of. */
export const approvalProviders = [
  ApprovalMetrics,
  ApprovalPages,
  ApprovalQueue,
  Closing,
  Decisions,
  Execution,
  Receipts,
  Visibility,
];
