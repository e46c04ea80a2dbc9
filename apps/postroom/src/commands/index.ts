import { backup, restore } from './backup/backup.js';
import type { Command } from './run-command.js';
import { createSandbox, createWorkspace } from './create-workspace.js';
import { listDead, replayDead } from './dead-letters.js';
import { doctor } from './doctor/doctor.js';
import { addDomain, removeDomain, restoreMailbox } from './mail.js';
import { verifyEvents } from './events/verify-events.js';
import { applyKafkaRights, checkKafkaRights, listKafkaRights } from './kafka-rights.js';
import { newDkimKey } from './new-dkim-key.js';
import { listParkedEvents, releaseParkedEvents, replayOutbox } from './outbox.js';
import { erasePerson, exportPerson } from './persons/persons.js';
import { resealSecrets } from './reseal-secrets.js';
import { deleteWorkspace } from './workspace-data/delete-workspace.js';
import { exportWorkspace } from './workspace-data/export-workspace.js';
import { importWorkspace } from './workspace-data/import-workspace.js';

export { UsageError } from './run-command.js';
export { runCommand, usageOf } from './run-command.js';

/** The operator's commands. */
export const commands: readonly Command[] = [
  createWorkspace,
  createSandbox,
  addDomain,
  removeDomain,
  restoreMailbox,
  newDkimKey,
  exportWorkspace,
  importWorkspace,
  deleteWorkspace,
  exportPerson,
  erasePerson,
  backup,
  restore,
  doctor,
  resealSecrets,
  listDead,
  replayDead,
  listParkedEvents,
  releaseParkedEvents,
  replayOutbox,
  listKafkaRights,
  applyKafkaRights,
  checkKafkaRights,
  verifyEvents,
];
