import { memberInvitations, Problem, type MemberInvitation } from '@postroom/contracts';
import { handlers, workspaceNow } from '@postroom/operations';
import { In, IsNull, type EntityManager } from 'typeorm';
import { GatewayConfig } from '../config.js';
import { InvitationEntity, MemberEntity } from './entities.js';
import { invitationUrl, invite } from './invitations.js';
import { memberView } from './members.handlers.js';

/** Members who have not chosen a password yet; an inactive one cannot. */
const invited = { active: true, passwordHash: IsNull() } as const;

/** Invitations that were not accepted yet. */
export const MemberInvitationsHandlers = handlers(
  memberInvitations,
  [GatewayConfig],
  ({ publicUrl }) => ({
    list: async (context) => {
      const now = await workspaceNow(context);
      const items = await context.entities((manager) => pending(manager, now));
      return { items, nextPageToken: null };
    },

    renew: async (context, { id }) => {
      const { manager, at } = context;
      const { memberId } = await load(manager, id);
      const token = await invite(context, memberId);
      const [invitation] = await pending(manager, at, memberId);
      if (!invitation) throw new Problem('MEMBER_INVITATION_NOT_FOUND');
      return { invitation, invitationUrl: invitationUrl(publicUrl, token) };
    },

    revoke: async ({ manager }, { id }) => {
      const { memberId } = await load(manager, id);
      await manager.delete(InvitationEntity, { memberId, kind: 'invitation' });
      return { ok: true };
    },
  }),
);

/** Loads an invitation that is pending, with its member locked: before its links, as when it is accepted. */
async function load(manager: EntityManager, id: string): Promise<InvitationEntity> {
  const where = { id, kind: 'invitation' } as const;
  const found = await manager.findOneBy(InvitationEntity, where);
  const member =
    found &&
    (await manager.findOne(MemberEntity, {
      where: { id: found.memberId, ...invited },
      lock: { mode: 'pessimistic_write' },
    }));
  // It may have been accepted or renewed while the lock was waited for.
  const still = member && (await manager.findOneBy(InvitationEntity, where));
  if (!still) throw new Problem('MEMBER_INVITATION_NOT_FOUND');
  return still;
}

/** The pending invitations, or that of one member, newest first. */
async function pending(
  manager: EntityManager,
  at: Date,
  memberId?: string,
): Promise<MemberInvitation[]> {
  const members = await manager.findBy(MemberEntity, {
    ...invited,
    ...(memberId !== undefined && { id: memberId }),
  });
  const byId = new Map(members.map((member) => [member.id, memberView(member)]));
  const links = await manager.find(InvitationEntity, {
    where: { kind: 'invitation', memberId: In([...byId.keys()]) },
    order: { id: 'DESC' },
  });
  return links.flatMap(({ id, memberId: owner, createdAt, expiresAt }) => {
    const member = byId.get(owner);
    if (!member) return [];
    const times = { createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() };
    return [{ id, member, ...times, expired: expiresAt <= at }];
  });
}
