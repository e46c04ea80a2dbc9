import type { Command } from '../command.js';
import { approve, listApprovals, reject, showApproval } from './approvals.js';

/** Deciding about writes of agents, until there is a console. */
export const approvalCommands: readonly Command[] = [listApprovals, showApproval, approve, reject];
