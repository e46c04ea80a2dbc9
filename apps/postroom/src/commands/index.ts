import { approvalCommands } from './approvals/index.js';
import { backup, restore } from './backup/index.js';
import type { Command } from './command.js';
import { createWorkspace } from './create-workspace.js';
import { listDead, replayDead } from './dead-letters.js';
import { doctor } from './doctor/index.js';
import { addDomain, removeDomain } from './domains.js';
import { verifyEvents } from './events/index.js';
import { applyKafkaRights, checkKafkaRights, listKafkaRights } from './kafka-rights.js';
import { listenToWebhooks } from './listen-to-webhooks.js';
import { replayOutbox } from './replay-outbox.js';
import { listParkedEvents, releaseParkedEvents } from './parked-events.js';
import { resealSecrets } from './reseal-secrets.js';
import { restoreMailbox } from './restore-mailbox.js';
import { deleteWorkspace, exportWorkspace, importWorkspace } from './workspace-data/index.js';

export { UsageError } from './command.js';
export { runCommand, usageOf } from './run-command.js';

/** The operator's commands. */
export const commands: readonly Command[] = [
  createWorkspace,
  addDomain,
  removeDomain,
  restoreMailbox,
  exportWorkspace,
  importWorkspace,
  deleteWorkspace,
  backup,
  restore,
  doctor,
  resealSecrets,
  ...approvalCommands,
  listDead,
  replayDead,
  listParkedEvents,
  releaseParkedEvents,
  replayOutbox,
  listKafkaRights,
  applyKafkaRights,
  checkKafkaRights,
  verifyEvents,
  listenToWebhooks,
];
