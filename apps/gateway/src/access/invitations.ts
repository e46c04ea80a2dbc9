import { randomBytes } from 'node:crypto';
import { newId } from '@postroom/contracts';
import type { Changing } from '@postroom/operations';
import { hashInvitationToken } from './authentication/member-authentication.js';
import { InvitationEntity } from './entities.js';

const hourMs = 60 * 60 * 1000;
const lifeMs = { invitation: 7 * 24 * hourMs, reset: hourMs } as const;

/** Replaces the invitation of a member, in the current transaction. @returns its token */
export async function invite(changing: Changing, memberId: string): Promise<string> {
  await changing.manager.delete(InvitationEntity, { memberId, kind: 'invitation' });
  return makeLink(changing, memberId, 'invitation');
}

/** Makes a one-time link of a member. @returns its token */
export async function makeLink(
  { manager, tenantId, at }: Changing,
  memberId: string,
  kind: InvitationEntity['kind'],
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await manager.insert(InvitationEntity, {
    tokenHash: hashInvitationToken(token),
    id: newId('inv'),
    tenantId,
    memberId,
    kind,
    createdAt: at,
    expiresAt: new Date(at.getTime() + lifeMs[kind]),
  });
  return token;
}

/** The URL of an administrator's one-time link. */
export const invitationUrl = (publicUrl: string, token: string): string =>
  new URL(`/invitation?token=${token}`, publicUrl).href;

/** The URL of the link that a member has asked for. */
export const resetUrl = (publicUrl: string, token: string): string =>
  new URL(`/reset?token=${token}`, publicUrl).href;
