import { Controller } from '@nestjs/common';
import {
  members,
  newId,
  Problem,
  type CreateMember,
  type Done,
  type MakeResetLink,
  type InvitedMember,
  type MemberAnswer,
  type MemberList,
  type Nothing,
  type RemoveMember,
  type ResetLink,
  type UpdateMember,
} from '@postroom/contracts';
import {
  Handles,
  isUniqueViolation,
  Prepares,
  requireVersion,
  type Reading,
  type Writing,
} from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { IsNull, Not, type EntityManager } from 'typeorm';
import { acceptPassword } from '../authentication/index.js';
import { GatewayConfig } from '../config.js';
import { invitationUrl, invite } from './invitations.js';
import { MemberEntity } from './member.entity.js';
import { memberView } from './member.view.js';

/** What let a member in is gone for good: made active again, it signs in again. */
const shutOut = statement<object>(
  'access.shut_out',
  `WITH links AS (DELETE FROM invitations WHERE tenant_id = $1 AND member_id = $2)
   DELETE FROM sessions WHERE tenant_id = $1 AND member_id = $2`,
);

const leaveTeams = statement<object>(
  'access.leave_teams',
  `UPDATE teams SET member_ids = array_remove(member_ids, $2), version = version + 1
   WHERE tenant_id = $1 AND $2 = ANY (member_ids)`,
);

/** Members of the workspace. */
@Controller()
export class MembersHandlers {
  constructor(private readonly config: GatewayConfig) {}

  @Handles(members.list)
  async list(context: Reading, _input: Nothing): Promise<MemberList> {
    const found = await context.entities((manager) =>
      manager.find(MemberEntity, { order: { id: 'ASC' } }),
    );
    return { items: found.map(memberView), nextPageToken: null };
  }

  @Prepares(members.create)
  async create(_context: Reading, { password, ...input }: CreateMember) {
    const passwordHash = password === undefined ? null : await acceptPassword(password);
    return (context: Writing<typeof members.create>) =>
      this.add(context, { ...input, passwordHash });
  }

  private async add(
    context: Writing<typeof members.create>,
    given: Omit<CreateMember, 'password'> & Pick<MemberEntity, 'passwordHash'>,
  ): Promise<InvitedMember> {
    const { manager, tenantId, at } = context;
    const member = manager.create(MemberEntity, {
      ...given,
      id: newId('mbr'),
      tenantId,
      active: true,
      createdAt: at,
      version: 1,
    });
    await manager.insert(MemberEntity, member).catch(refuseTakenEmail);
    context.subject(member.id);
    const answer = { member: memberView(member) };
    if (given.passwordHash !== null) return answer;
    const token = await invite(context, member.id);
    return { ...answer, invitationUrl: invitationUrl(this.config.publicUrl, token) };
  }

  @Handles(members.update)
  async update(
    { manager, rows }: Writing<typeof members.update>,
    { id, ifMatch, ...changes }: UpdateMember,
  ): Promise<MemberAnswer> {
    const member = await loadWithAdministrators(manager, id);
    requireVersion(member, ifMatch);
    Object.assign(member, changes);
    await manager.save(member);
    await requireAdministrator(manager);
    if (!member.active) await rows(shutOut, [id]);
    return { member: memberView(member) };
  }

  @Handles(members.remove)
  async remove(
    { manager, rows }: Writing<typeof members.remove>,
    { id, ifMatch }: RemoveMember,
  ): Promise<Done> {
    const member = await loadWithAdministrators(manager, id);
    requireVersion(member, ifMatch);
    await rows(leaveTeams, [id]);
    await manager.remove(member);
    await requireAdministrator(manager);
    return { ok: true };
  }

  @Handles(members.resetLink)
  async resetLink(
    context: Writing<typeof members.resetLink>,
    { id }: MakeResetLink,
  ): Promise<ResetLink> {
    await load(context.manager, id);
    const token = await invite(context, id);
    return { resetUrl: invitationUrl(this.config.publicUrl, token) };
  }
}

async function load(manager: EntityManager, id: string): Promise<MemberEntity> {
  const lock = { mode: 'pessimistic_write' } as const;
  return (await manager.findOne(MemberEntity, { where: { id }, lock })) ?? refuseUnknown();
}

function refuseUnknown(): never {
  throw new Problem('MEMBER_NOT_FOUND');
}

/** Those who can sign in: an invitation that nobody accepts opens nothing. */
const administrators = { role: 'admin', active: true, passwordHash: Not(IsNull()) } as const;

/**
 * Changes that could take the last administrator away take turns: of two administrators who remove
 * each other at once, the second sees what the first left. All are locked in the order of their ids,
 * the member among them, as a team locks its members: no two wait for each other. A key may be given to
 * one of them meanwhile.
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
