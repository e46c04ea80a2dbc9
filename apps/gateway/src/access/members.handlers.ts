import { members, newId, Problem, type CreateMember, type Member } from '@postroom/contracts';
import { handlers, isUniqueViolation, requireVersion, type Writing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { IsNull, Not, type EntityManager } from 'typeorm';
import { GatewayConfig } from '../config.js';
import { revokeKeys } from './approvals/approval-rows.js';
import { acceptPassword } from './authentication/new-passwords.js';
import { MemberEntity } from './entities.js';
import { invitationUrl, invite } from './invitations.js';
import { WorkspaceQuotas } from './quotas.js';

/** A member as settings show it. */
export const memberView = (member: MemberEntity): Member => ({
  id: member.id,
  email: member.email,
  name: member.name,
  role: member.role,
  canApprove: member.canApprove,
  active: member.active,
  createdAt: member.createdAt.toISOString(),
  version: member.version,
});

const signOut = statement<{ id: string }>(
  'access.sign_out',
  `WITH links AS (DELETE FROM invitations WHERE tenant_id = $1 AND member_id = $2),
     ended AS (DELETE FROM sessions WHERE tenant_id = $1 AND member_id = $2)
   SELECT id FROM keys WHERE tenant_id = $1 AND member_id = $2 AND client IS NOT NULL AND revoked_at IS NULL`,
);

/** Ends the sessions, links and assistants of a member who leaves: activated again, it has to sign in again. */
async function shutOut(
  { rows, at }: Pick<Writing, 'rows' | 'at'>,
  memberId: string,
): Promise<void> {
  const assistants = await rows(signOut, [memberId]);
  await rows(revokeKeys, [assistants.map(({ id }) => id), at]);
}

const leaveTeams = statement<object>(
  'access.leave_teams',
  `UPDATE teams SET member_ids = array_remove(member_ids, $2), version = version + 1
   WHERE tenant_id = $1 AND $2 = ANY (member_ids)`,
);

/** Members of the workspace. */
export const MembersHandlers = handlers(
  members,
  [GatewayConfig, WorkspaceQuotas],
  ({ publicUrl }, quotas) => ({
    list: async ({ entities }) => {
      const found = await entities((manager) =>
        manager.find(MemberEntity, { order: { id: 'ASC' } }),
      );
      return { items: found.map(memberView), nextPageToken: null };
    },

    create: {
      prepare: async ({ tenantId }, { password, ...input }) => {
        const passwordHash =
          password === undefined ? null : await acceptPassword(password, tenantId);
        return async (context) => {
          await quotas.requireRoomForMember(context);
          const member = await createMember(context, { ...input, passwordHash });
          if (passwordHash !== null) return { member };
          const token = await invite(context, member.id);
          return { member, invitationUrl: invitationUrl(publicUrl, token) };
        };
      },
    },

    update: async (context, { id, ifMatch, ...changes }) => {
      const { manager } = context;
      const member = await loadWithAdministrators(manager, id);
      requireVersion(member, ifMatch);
      Object.assign(member, changes);
      await manager.save(member);
      await requireAdministrator(manager);
      if (!member.active) await shutOut(context, id);
      return { member: memberView(member) };
    },

    remove: async (context, { id, ifMatch }) => {
      const { manager, rows } = context;
      const member = await loadWithAdministrators(manager, id);
      requireVersion(member, ifMatch);
      await rows(leaveTeams, [id]);
      await shutOut(context, id);
      await manager.remove(member);
      await requireAdministrator(manager);
      return { ok: true };
    },

    resetLink: async (context, { id }) => {
      await load(context.manager, id);
      return { resetUrl: invitationUrl(publicUrl, await invite(context, id)) };
    },
  }),
);

async function createMember(
  { manager, tenantId, at, subject }: Writing,
  given: Omit<CreateMember, 'password'> & Pick<MemberEntity, 'passwordHash'>,
) {
  const member = manager.create(MemberEntity, {
    ...given,
    id: newId('mbr'),
    tenantId,
    active: true,
    createdAt: at,
    version: 1,
  });
  await manager.insert(MemberEntity, member).catch(refuseTakenEmail);
  subject(member.id);
  return memberView(member);
}

async function load(manager: EntityManager, id: string): Promise<MemberEntity> {
  const lock = { mode: 'pessimistic_write' } as const;
  return (await manager.findOne(MemberEntity, { where: { id }, lock })) ?? refuseUnknown();
}

function refuseUnknown(): never {
  throw new Problem('MEMBER_NOT_FOUND');
}

/** Administrators who can sign in: one who never accepted the invitation does not count. */
const administrators = { role: 'admin', active: true, passwordHash: Not(IsNull()) } as const;

/**
 * Locks the member and every administrator, so that changes which could remove the last administrator
 * are serialised: of two administrators who remove each other, the second sees the first one's change.
 * The locks are taken in the order of ids, as a team locks its members, which avoids deadlocks; they
 * allow that a key is attached to one of them meanwhile.
 */
async function loadWithAdministrators(manager: EntityManager, id: string): Promise<MemberEntity> {
  const lock = { mode: 'for_no_key_update' } as const;
  const where = [administrators, { id }];
  const found = await manager.find(MemberEntity, { where, order: { id: 'ASC' }, lock });
  return found.find((member) => member.id === id) ?? refuseUnknown();
}

async function requireAdministrator(manager: EntityManager): Promise<void> {
  if (!(await manager.existsBy(MemberEntity, administrators))) {
    throw new Problem('LAST_ADMINISTRATOR');
  }
}

function refuseTakenEmail(error: unknown): never {
  if (isUniqueViolation(error, 'members_email')) {
    throw new Problem('EMAIL_TAKEN', { cause: error });
  }
  throw error;
}
