import type { KeyCaller } from '@postroom/access';
import {
  operationsById,
  type ApprovalDifference,
  type ApprovalRequest,
  type Operation,
} from '@postroom/contracts';
import type { ApprovalRow } from './approval-rows.js';
import { plainSummary } from './summary.js';

type Json = Readonly<Record<string, unknown>>;

const json = (text: string): Json => JSON.parse(text) as Json;

/** An approval as people see it. */
export function approvalView(row: ApprovalRow): ApprovalRequest {
  const operation = operationOf(row);
  const payload = json(row.payload);
  return {
    id: row.id,
    state: row.state,
    operation: row.operation,
    method: operation.method,
    path: pathOf(operation, payload),
    summary: row.summary,
    payload,
    payloadHash: row.payloadHash,
    approvedPayload: row.approvedPayload === null ? null : json(row.approvedPayload),
    target:
      row.targetId === null
        ? null
        : { type: row.targetType ?? '', id: row.targetId, version: row.targetVersion },
    difference: json(row.difference) as unknown as ApprovalDifference,
    requestedBy: { keyId: row.keyId, name: row.keyName, client: row.client },
    channel: row.channel,
    idempotencyKey: row.idempotencyKey,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
    decidedBy: row.decidedBy,
    decidedAt: row.decidedAt,
    comment: row.comment,
    result:
      row.resultStatus === null || row.resultBody === null
        ? null
        : { status: row.resultStatus, body: json(row.resultBody) },
    receipt: row.receipt,
  };
}

/** The same for the key that filed it, which is told no more of the target than it may read. */
export function filedView(row: ApprovalRow, caller: KeyCaller): ApprovalRequest {
  const shown = approvalView(row);
  const operation = operationOf(row);
  if (readFault(row, caller) === null) return shown;
  const target = shown.target && { ...shown.target, version: null };
  const result = shown.result && { ...shown.result, body: {} };
  return { ...shown, target, result, difference: null, summary: plainSummary(operation) };
}

/** The operation of an approval; one that a later version has dropped can neither be shown nor done. */
export function operationOf({ operation: id }: Pick<ApprovalRow, 'operation'>): Operation {
  const operation = operationsById.get(id);
  if (!operation) throw new Error(`an approval of ${id}, which is no operation`);
  return operation;
}

/** The right that a key lacks to read what it has written: the mailbox, or the scope to read the same; null if none. */
export function readFault(
  row: ApprovalRow,
  { scopes, grants }: KeyCaller,
): 'MAILBOX_FORBIDDEN' | 'SCOPE_MISSING' | null {
  const { mailbox } = json(row.payload);
  if (typeof mailbox === 'string' && !Object.hasOwn(grants, mailbox)) return 'MAILBOX_FORBIDDEN';
  const needed = operationOf(row).scope?.replace(/^write:/, 'read:');
  return scopes.some((held) => held === needed) ? null : 'SCOPE_MISSING';
}

const pathOf = ({ path }: Operation, payload: Json): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(payload[name])));
