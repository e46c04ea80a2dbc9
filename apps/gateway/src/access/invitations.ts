import { randomBytes } from 'node:crypto';
import type { Changing } from '@postroom/operations';
import { hashInvitationToken } from './authentication/member-authentication.js';
import { InvitationEntity } from './entities.js';

const lifeMs = 7 * 24 * 60 * 60 * 1000;

/** Replaces the one-time link of a member, in the current transaction. @returns its token */
export async function invite(
  { manager, tenantId, at }: Changing,
  memberId: string,
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await manager.delete(InvitationEntity, { memberId });
  await manager.insert(InvitationEntity, {
    tokenHash: hashInvitationToken(token),
    tenantId,
    memberId,
    expiresAt: new Date(at.getTime() + lifeMs),
  });
  return token;
}

/** The URL of a one-time link. */
export const invitationUrl = (publicUrl: string, token: string): string =>
  new URL(`/invitation?token=${token}`, publicUrl).href;
