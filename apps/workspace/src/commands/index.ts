import { approvalCommands } from './approvals/index.js';
import type { Command } from './command.js';
import { createWorkspace } from './create-workspace.js';
import { listDead, replayDead } from './dead-letters.js';
import { verifyEvents } from './events/index.js';
import { listenToWebhooks } from './listen-to-webhooks.js';
import { listParkedEvents, releaseParkedEvents } from './parked-events.js';

export { UsageError } from './command.js';

/** The operator's commands. */
export const commands: readonly Command[] = [
  createWorkspace,
  ...approvalCommands,
  listDead,
  replayDead,
  listParkedEvents,
  releaseParkedEvents,
  verifyEvents,
  listenToWebhooks,
];
