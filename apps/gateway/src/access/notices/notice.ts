import { newId, Problem } from '@postroom/contracts';
import type { Writing } from '@postroom/operations';
import { statement, type Statement } from '@postroom/persistence';
import { MemberEntity, TenantEntity } from '../entities.js';

/** A member as mail about its account needs it. */
export interface NoticedMember {
  readonly tenantId: string;
  readonly workspace: string;
  readonly memberId: string;
  readonly email: string;
  readonly name: string;
}

/** A member has signed in from a device or network that is new to the account. */
export interface SignInNotice extends NoticedMember {
  readonly device: string | null;
  readonly address: string;
  /** ISO 8601. */
  readonly at: string;
}

/** The second factors of a member have changed. */
export interface FactorNotice extends NoticedMember {
  readonly change: 'passkey' | 'noPasskey' | 'totp' | 'noTotp' | 'recoveryCodes' | 'none';
  /** ISO 8601. */
  readonly at: string;
}

/** A reset link was requested; the address is looked up among the members only when the link is sent. */
export interface ResetNotice {
  readonly email: string;
  /** The host name under which it was asked for. */
  readonly host: string;
  readonly requestId: string;
}

/** Mail about accounts, by kind. */
export interface NoticeData {
  readonly sign_in: SignInNotice;
  readonly factor: FactorNotice;
  readonly reset: ResetNotice;
}

const queueNotice = statement<{ queued: boolean }>(
  'access.queue_notice',
  'SELECT queue_notice($1, $2, $3, $4) AS queued',
);

type Rows = <R extends object>(statement: Statement<R>, values: readonly unknown[]) => Promise<R[]>;

/** Queues mail about an account. @returns false when too much of it waits */
export async function queue<K extends keyof NoticeData>(
  { rows }: { readonly rows: Rows },
  kind: K,
  data: NoticeData[K],
): Promise<boolean> {
  const [answer] = await rows(queueNotice, [newId('ntc'), kind, JSON.stringify(data)]);
  return answer?.queued ?? false;
}

/** The facts of a member that mail about its account needs. */
export async function noticed(
  { manager, tenantId }: Pick<Writing, 'manager' | 'tenantId'>,
  { id: memberId, email, name }: MemberEntity,
): Promise<NoticedMember> {
  const workspace = await manager.findOneByOrFail(TenantEntity, { id: tenantId });
  return { tenantId, workspace: workspace.name, memberId, email, name };
}

/**
 * Queues mail to a member whose second factors change: one that a thief has added would outlive a new password.
 * @throws Problem SERVICE_UNAVAILABLE where it cannot be queued, so that nothing changes in silence
 */
export async function noteFactor(
  context: Pick<Writing, 'rows' | 'at' | 'manager' | 'tenantId'>,
  memberId: string,
  change: FactorNotice['change'],
): Promise<void> {
  const member = await context.manager.findOneByOrFail(MemberEntity, { id: memberId });
  const at = context.at.toISOString();
  if (!(await queue(context, 'factor', { ...(await noticed(context, member)), change, at })))
    throw new Problem('SERVICE_UNAVAILABLE');
}
