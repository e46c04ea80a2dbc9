import { AnswerOf, Done, PageOf } from '../answers.js';
import { Email, Flag, Id, Instant, OneOf, Text, Version } from '../fields/index.js';
import { ChangeOf, IdOf, VersionOf } from '../inputs.js';
import { family, operation } from '../operation.js';

export const roles = ['admin', 'member'] as const;
export type Role = (typeof roles)[number];

/** A person of the workspace. */
export class Member {
  @Id('mbr', 'The member.')
  id!: string;

  @Email('Address, also the sign-in name.')
  email!: string;

  @Text('Name.', { max: 120 })
  name!: string;

  @OneOf(roles, 'Administrators change settings.')
  role!: Role;

  @Flag('May decide approval requests.')
  canApprove!: boolean;

  @Flag('Inactive members cannot sign in.')
  active!: boolean;

  @Instant('Creation.')
  createdAt!: string;

  @Version()
  version!: number;
}

/** Input of member creation. */
export class CreateMember {
  @Email('Address, also the sign-in name.')
  email!: string;

  @Text('Name.', { max: 120, filled: true })
  name!: string;

  @OneOf(roles, 'Administrators change settings.', { default: 'member' })
  role!: Role;

  @Flag('May decide approval requests.', { default: false })
  canApprove!: boolean;

  @Text('Password of at least 10 characters; without one an invitation link is returned.', {
    max: 1000,
    optional: true,
  })
  password?: string;
}

/** Input of member change; what is absent stays. */
export class UpdateMember extends ChangeOf('mbr', 'The member.', CreateMember, [
  'name',
  'role',
  'canApprove',
]) {
  @Flag('Inactive members cannot sign in.', { optional: true })
  active?: boolean;
}

/** One member. */
export class MemberAnswer extends AnswerOf('member', () => Member, 'The member.') {}

/** A new member, with the link that lets it choose a password. */
export class InvitedMember extends MemberAnswer {
  @Text('One-time link, valid 7 days; absent when a password was given.', {
    max: 2000,
    optional: true,
  })
  invitationUrl?: string;
}

/** A one-time link. */
export class ResetLink {
  @Text('One-time link, valid 7 days.', { max: 2000 })
  resetUrl!: string;
}

/** All members. */
export class MemberList extends PageOf(() => Member, 'Members.', 10_000) {}

/** Members of the workspace. */
export const members = family(
  'access',
  'members',
  {
    list: operation({
      http: 'GET /members',
      summary: 'List the members',
      output: MemberList,
    }),
    create: operation({
      http: 'POST /members',
      success: 201,
      confidential: true,
      summary: 'Add a member, by invitation link or with a password',
      input: CreateMember,
      output: InvitedMember,
      problems: ['EMAIL_TAKEN', 'QUOTA_EXCEEDED'],
    }),
    update: operation({
      http: 'PATCH /members/:id',
      summary: 'Change a member',
      input: UpdateMember,
      output: MemberAnswer,
      problems: ['MEMBER_NOT_FOUND', 'LAST_ADMINISTRATOR'],
    }),
    remove: operation({
      http: 'DELETE /members/:id',
      summary: 'Remove a member; its sessions end and its keys lose their member',
      input: VersionOf('mbr', 'The member.'),
      output: Done,
      problems: ['MEMBER_NOT_FOUND', 'LAST_ADMINISTRATOR'],
    }),
    resetLink: operation({
      http: 'POST /members/:id/reset-link',
      confidential: true,
      summary: 'Make a one-time link to choose a new password',
      input: IdOf('mbr', 'The member.'),
      output: ResetLink,
      problems: ['MEMBER_NOT_FOUND'],
    }),
  },
  { audience: 'member', admin: true },
);
