import { hash, randomBytes } from 'node:crypto';
import { actorOf, type Caller } from '@postroom/access';
import { newId } from '@postroom/contracts';
import type { Changing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import type { Judgement } from './judgement.js';

/** A send that is warned about. */
export interface WarnedSend {
  readonly caller: Caller;
  readonly mailboxId: string;
  /** The fingerprint of the message, without its `dlpWarningToken`. */
  readonly fingerprint: string;
  readonly judgement: Judgement;
}

/** A send that rules warn about, on its way. */
export interface ReservedWarned extends WarnedSend {
  /** The token of its reservation: until that is released, no other send can use a warning it has taken. */
  readonly reservation: string;
}

type Work = Pick<Changing, 'rows' | 'at'>;

const lifeMs = 10 * 60_000;

const keep = statement<object>(
  'dlp.keep_warning',
  `INSERT INTO dlp_warnings
     (tenant_id, token_hash, asker_id, mailbox_id, fingerprint, rules, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);

// If two requests have the same token, one takes the row; the other waits for it and finds it taken.
const take = statement<object>(
  'dlp.take_warning',
  `UPDATE dlp_warnings SET taken_by = $8
   WHERE tenant_id = $1 AND token_hash = $2 AND asker_id = $3 AND mailbox_id = $4
     AND fingerprint = $5 AND rules @> $6 AND expires_at > $7 AND taken_by IS NULL
   RETURNING token_hash`,
);

// One that lasts longer already keeps its time.
const hold = statement<object>(
  'dlp.hold_warning',
  `UPDATE dlp_warnings SET expires_at = greatest(expires_at, $8)
   WHERE tenant_id = $1 AND token_hash = $2 AND asker_id = $3 AND mailbox_id = $4
     AND fingerprint = $5 AND rules @> $6 AND expires_at > $7 AND taken_by IS NULL
   RETURNING token_hash`,
);

const recordOverrides = statement<object>(
  'dlp.record_overrides',
  `INSERT INTO audit_records
     (tenant_id, id, at, actor_type, actor_id, source, action, subject_id, request_id)
   SELECT $1, o.id, $4, $5, $6, $7, 'dlp.overridden', o.rule, $8
   FROM unnest($2::text[], $3::text[]) AS o (id, rule)`,
);

/**
 * A token that confirms this very send once, within ten minutes: by the same key (or member), from the
 * same mailbox, with the same fingerprint, as long as no rule warns that did not warn now, and no recipient is suppressed
 * that was not. It is kept as a hash.
 */
export async function issueWarning({ rows, at }: Work, warned: WarnedSend): Promise<string> {
  const token = `dlp_${randomBytes(32).toString('base64url')}`;
  const expiresAt = new Date(at.getTime() + lifeMs);
  await rows(keep, [hash('sha256', token), ...boundTo(warned), expiresAt]);
  return token;
}

/**
 * Takes a token for a reservation, and writes an audit record for each rule that is overridden, and one for suppressions. The
 * token is released with the key, in the same commit (`release_warning`): a message that was refused before it left has not
 * used it up; after a crash in between a new warning is issued. A token that was issued for another send
 * stays as it is.
 *
 * @param tokenHash SHA-256 of the token
 * @param requestId of the send, for the audit
 * @returns whether the send is confirmed
 */
export async function redeemWarning(
  { rows, at }: Work,
  tokenHash: string,
  requestId: string,
  warned: ReservedWarned,
): Promise<boolean> {
  const { caller, judgement, reservation } = warned;
  const what = [tokenHash, ...boundTo(warned), at, reservation];
  const taken = await rows(take, what);
  if (taken.length === 0) return false;
  const { hits, suppressed } = judgement;
  const rules = [...new Set(hits.map(({ ruleId }) => ruleId))];
  if (suppressed.length > 0) rules.push('suppressions');
  const actor = actorOf(caller);
  await rows(recordOverrides, [
    rules.map(() => newId('aud')),
    rules,
    at,
    actor.type,
    actor.id,
    caller.source,
    requestId,
  ]);
  return true;
}

/**
 * Keeps a token valid until a message that leaves later has left; it is taken then, if what warns is still the same.
 * @param tokenHash SHA-256 of the token
 * @returns whether it confirms the send
 */
export async function holdWarning(
  { rows, at }: Work,
  tokenHash: string,
  until: Date,
  warned: WarnedSend,
): Promise<boolean> {
  return (await rows(hold, [tokenHash, ...boundTo(warned), at, until])).length > 0;
}

const boundTo = ({ caller, mailboxId, fingerprint, judgement }: WarnedSend): unknown[] => [
  actorOf(caller).id,
  mailboxId,
  fingerprint,
  [
    ...judgement.hits.map(({ ruleId, ruleVersion }) => `${ruleId} ${ruleVersion}`),
    ...judgement.suppressed.map(({ address }) => `suppressed ${hash('sha256', address)}`),
  ],
];
