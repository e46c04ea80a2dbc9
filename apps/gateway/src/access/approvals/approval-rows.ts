import type { ApprovalCount, ApprovalState } from '@postroom/contracts';
import type { Container } from '@postroom/operations';
import { instant, statement } from '@postroom/persistence';

/** An approval as it is stored. Texts of JSON are as they were filed. */
export interface ApprovalRow {
  readonly id: string;
  readonly tenantId: string;
  readonly keyId: string;
  readonly keyName: string;
  /** The program that used the key, as it names itself. */
  readonly client: string | null;
  readonly state: ApprovalState;
  readonly operation: string;
  readonly summary: string;
  readonly payload: string;
  readonly payloadHash: string;
  /** As a member changed it; null of one that was not changed. */
  readonly approvedPayload: string | null;
  readonly approvedPayloadHash: string | null;
  readonly targetType: string | null;
  readonly targetId: string | null;
  readonly targetVersion: number | null;
  readonly difference: string;
  readonly withinType: Container['type'] | null;
  readonly withinId: string | null;
  readonly channel: 'rest' | 'mcp';
  readonly idempotencyKey: string;
  readonly requestId: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly decidedById: string | null;
  readonly decidedBy: string | null;
  readonly decidedAt: string | null;
  readonly comment: string | null;
  readonly attempts: number;
  readonly resultStatus: number | null;
  readonly resultHeaders: string | null;
  readonly resultBody: string | null;
  readonly resultProblem: string | null;
  readonly closedAt: string | null;
  readonly receipt: string | null;
  /** When the agent was first answered how it ended. */
  readonly answeredAt: string | null;
}

/** The columns that make a row of `approvals` an {@link ApprovalRow}. */
const columns = (of: string): string => `
  ${of}.id, ${of}.tenant_id AS "tenantId", ${of}.key_id AS "keyId", ${of}.key_name AS "keyName",
  ${of}.client, ${of}.state, ${of}.operation, ${of}.summary, ${of}.payload, ${of}.payload_hash AS "payloadHash",
  ${of}.approved_payload AS "approvedPayload",
  ${of}.approved_payload_hash AS "approvedPayloadHash", ${of}.target_type AS "targetType", ${of}.target_id AS "targetId",
  ${of}.target_version::float8 AS "targetVersion", ${of}.difference,
  ${of}.within_type AS "withinType", ${of}.within_id AS "withinId", ${of}.channel,
  ${of}.idempotency_key AS "idempotencyKey", ${of}.request_id AS "requestId",
  ${instant(`${of}.created_at`)} AS "createdAt", ${instant(`${of}.expires_at`)} AS "expiresAt",
  ${of}.decided_by_id AS "decidedById", ${of}.decided_by AS "decidedBy",
  ${instant(`${of}.decided_at`)} AS "decidedAt", ${of}.comment, ${of}.attempts,
  ${of}.result_status AS "resultStatus", ${of}.result_headers AS "resultHeaders",
  ${of}.result_body AS "resultBody", ${of}.result_problem AS "resultProblem",
  ${instant(`${of}.closed_at`)} AS "closedAt", ${of}.receipt,
  ${instant(`${of}.answered_at`)} AS "answeredAt"`;

/** Outside a transaction: one of the workspace, or none. */
export const findApproval = statement<ApprovalRow>(
  'access.find_approval',
  `SELECT ${columns('a')} FROM find_approval($1, $2) a`,
);

/** Outside a transaction: several of the workspace, newest first. */
export const findApprovals = statement<ApprovalRow>(
  'access.find_approvals',
  `SELECT ${columns('a')} FROM find_approvals($1, $2) a`,
);

/** The position of an approval in the list, and the container whose readers may see it. */
export interface ApprovalPlace {
  readonly id: string;
  readonly withinType: Container['type'] | null;
  readonly withinId: string | null;
  readonly bytes: number;
}

export const approvalPlaces = statement<ApprovalPlace>(
  'access.approval_places',
  `SELECT id, within_type AS "withinType", within_id AS "withinId", bytes
   FROM approval_places($1, $2, $3, $4, $5, $6, $7, $8)`,
);

/** Approvals by state and by the readers who may see them. */
export const approvalCounts = statement<Omit<ApprovalPlace, 'id' | 'bytes'> & ApprovalCount>(
  'access.approval_counts',
  `SELECT state, within_type AS "withinType", within_id AS "withinId", approvals::float8 AS approvals
   FROM approval_counts($1, $2, $3, $4, $5)`,
);

/** The id of what has taken an Idempotency-Key, and how many writes of the key wait. */
export const filedBefore = statement<{ id: string | null; waiting: number }>(
  'access.filed_before',
  `SELECT approval->>'id' AS id, waiting FROM filed_before($1, $2, $3, $4)`,
);

/** The same for a key that was made of the call: of the last of its generations (`nextKey`). */
export const filedBeforeDerived = statement<{ id: string | null; waiting: number }>(
  'access.filed_before_derived',
  `SELECT approval->>'id' AS id, waiting FROM filed_before($1, $2, $3, $4, $4 || '/')`,
);

/** Notes that the agent was answered how one ended. */
export const noteAnswered = statement<object>(
  'access.note_answered',
  `UPDATE approvals SET answered_at = $3
   WHERE tenant_id = $1 AND id = $2 AND answered_at IS NULL`,
);

// Filing is serialised for each key, so that a concurrent repeat finds the first one and the limit of 100 holds.
export const lockFiling = statement<object>(
  'access.lock_filing',
  `SELECT take_lock('access.filing ' || $1 || ' ' || $2)`,
);

export interface RecordedBytes {
  readonly day: number;
  readonly stored: number;
}

/** Bytes that a key has had recorded today, and that its workspace stores here. */
export const recordedOf = statement<RecordedBytes>(
  'access.recorded_of',
  'SELECT day, stored FROM recorded_of($1, $2)',
);

/** In the transaction that has locked the key's filing. */
export const insertApproval = statement<ApprovalRow>(
  'access.insert_approval',
  `INSERT INTO approvals AS a (tenant_id, id, key_id, key_name, operation, summary, payload,
     payload_hash, target_type, target_id, target_version, difference, within_type, within_id,
     channel, client, idempotency_key, request_id, created_at, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
     $20)
   RETURNING ${columns('a')}`,
);

export const lockApproval = statement<ApprovalRow>(
  'access.lock_approval',
  `SELECT ${columns('a')} FROM approvals a WHERE a.tenant_id = $1 AND a.id = $2 FOR UPDATE`,
);

/** The lease of an execution: longer than the deadline of its call. */
const lease = `now() + interval '20 seconds'`;

/** Approves a locked one, and takes it, to execute it. */
export const approveApproval = statement<ApprovalRow>(
  'access.approve_approval',
  `UPDATE approvals a SET state = 'approved', decided_by_id = $3, decided_by = $4, decided_at = $5,
     comment = $6, approved_payload = $7, approved_payload_hash = $8,
     difference = coalesce($9, a.difference), attempts = 1, leased_until = ${lease}
   WHERE a.tenant_id = $1 AND a.id = $2 RETURNING ${columns('a')}`,
);

/** A member's rejection of a locked one, which is closed next. */
export const rejectApproval = statement<ApprovalRow>(
  'access.reject_approval',
  `UPDATE approvals a SET decided_by_id = $3, decided_by = $4, decided_at = $5, comment = $6
   WHERE a.tenant_id = $1 AND a.id = $2 RETURNING ${columns('a')}`,
);

/** Takes one that was not executed when it was approved: no row when another gateway has it, or it has ended. */
export const leaseApproval = statement<ApprovalRow>(
  'access.lease_approval',
  `UPDATE approvals a SET state = 'executing', attempts = a.attempts + 1,
     leased_until = ${lease}
   WHERE a.tenant_id = $1 AND a.id = $2 AND a.state IN ('approved', 'executing')
     AND coalesce(a.leased_until <= now(), true)
   RETURNING ${columns('a')}`,
);

/** Puts it off for so many seconds. */
export const releaseApproval = statement<object>(
  'access.release_approval',
  `UPDATE approvals SET leased_until = now() + make_interval(secs => $3::float8)
   WHERE tenant_id = $1 AND id = $2 AND state IN ('approved', 'executing')`,
);

/** Closes one that is in the state $3, with its receipt: no row when it has left it meanwhile. */
export const closeApproval = statement<ApprovalRow>(
  'access.close_approval',
  `UPDATE approvals a SET state = $4, closed_at = $5, result_status = $6, result_headers = $7,
     result_body = $8, result_problem = $9, receipt = $10, leased_until = NULL
   WHERE a.tenant_id = $1 AND a.id = $2 AND a.state = $3 RETURNING ${columns('a')}`,
);

/** The receipt of an approval that was closed without one, given once. */
export const signApproval = statement<ApprovalRow>(
  'access.sign_approval',
  `UPDATE approvals a SET receipt = $3
   WHERE a.tenant_id = $1 AND a.id = $2 AND a.receipt IS NULL RETURNING ${columns('a')}`,
);

/** Revokes keys that are not revoked yet, and cancels what waits of them. */
export const revokeKeys = statement<object>(
  'access.revoke_keys',
  `WITH revoked AS (
     UPDATE keys SET revoked_at = $3, version = version + 1
     WHERE tenant_id = $1 AND id = ANY ($2::text[]) AND revoked_at IS NULL RETURNING id
   )
   UPDATE approvals a SET state = 'cancelled', closed_at = $3 FROM revoked r
   WHERE a.tenant_id = $1 AND a.key_id = r.id AND a.state = 'pending'`,
);
