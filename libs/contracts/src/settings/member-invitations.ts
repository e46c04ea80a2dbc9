import { Done, SettingsPage } from '../answers.js';
import { Flag, Id, Instant, ListOf, Part, Text } from '../fields/index.js';
import { IdOf } from '../inputs.js';
import { family, operation } from '../operation.js';
import { Member } from './members.js';

/** An invitation that its member has not accepted. */
export class MemberInvitation {
  @Id('inv', 'The invitation.')
  id!: string;

  @Part(() => Member, 'The member who is invited.')
  member!: Member;

  @Instant('When the link was made.')
  createdAt!: string;

  @Instant('Until when the link is good.')
  expiresAt!: string;

  @Flag('Whether that time is over: renew it then.')
  expired!: boolean;
}

/** Pending invitations. */
export class MemberInvitationList extends SettingsPage {
  @ListOf(() => MemberInvitation, 'Invitations, the newest first.', { max: 10_000 })
  items!: MemberInvitation[];
}

/** An invitation with its new link. */
export class RenewedMemberInvitation {
  @Part(() => MemberInvitation, 'The invitation, under an id of its own.')
  invitation!: MemberInvitation;

  @Text('One-time link, valid 7 days. Shown this once.', { max: 2000 })
  invitationUrl!: string;
}

/** Invitations of members who have not chosen a password yet. */
export const memberInvitations = family(
  'access',
  'memberInvitations',
  {
    list: operation({
      http: 'GET /invitations',
      summary: 'List the invitations that were not accepted yet',
      output: MemberInvitationList,
    }),
    renew: operation({
      http: 'POST /invitations/:id/renew',
      confidential: true,
      summary: 'Replace the link of an invitation by a new one',
      input: IdOf('inv', 'The invitation.'),
      output: RenewedMemberInvitation,
      problems: ['MEMBER_INVITATION_NOT_FOUND'],
    }),
    revoke: operation({
      http: 'DELETE /invitations/:id',
      summary: 'Revoke an invitation; its member stays, without a way to sign in',
      input: IdOf('inv', 'The invitation.'),
      output: Done,
      problems: ['MEMBER_INVITATION_NOT_FOUND'],
    }),
  },
  { audience: 'member', admin: true },
);
