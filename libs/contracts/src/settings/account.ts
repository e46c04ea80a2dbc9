import { AnswerOf, Done, WholeList } from '../answers.js';
import { Calendar, calendarsMax } from '../calendar/calendars.js';
import { booksMax } from '../contacts/books.js';
import { MailboxWithUnread } from '../conversations/inbox.js';
import { Count, Flag, isSeen, ListOf, Part, Text } from '../fields/index.js';
import { listedMax, NamedMember, NamedTeam, UsableBook } from '../lists.js';
import { family, operation } from '../operation.js';
import { Member } from './members.js';

const max = Number.MAX_SAFE_INTEGER;

/** The signed-in member, with facts that no other member may read. */
export class AccountMember extends Member {
  @Flag('Whether mail tells of a sign-in from a device and network that are new to the account.')
  signInNotices!: boolean;
}

/** The workspace as every member sees it. */
export class AccountWorkspace {
  @Text('Name.', { max: 120 })
  name!: string;

  @Text('Time zone of its days and hours (IANA).', { max: 60 })
  timeZone!: string;

  @Flag('Whether mail may be sent.')
  sendOpen!: boolean;

  @Flag('Whether it is for tests: its mail never leaves, and its clock can be moved.')
  sandbox!: boolean;
}

/** A member, and whether it may decide about agents' writes. */
export class AccountNamedMember extends NamedMember {
  @Flag('Whether it may decide about writes of agents.')
  canApprove!: boolean;
}

/** A team, and whether the member is in it. */
export class AccountTeam extends NamedTeam {
  @Flag('Whether the member is in it.')
  mine!: boolean;
}

/** Counts of what waits for the member. */
export class AccountCounts {
  @Count('Approvals that wait for a decision, of those that the member sees.', { max })
  approvals!: number;

  @Count('Conversations of inboxes that are assigned to the member, without snoozed ones.', { max })
  mine!: number;

  @Count('Those that are assigned to nobody, without those the member has snoozed.', { max })
  unassigned!: number;

  @Count('Those that the member has snoozed.', { max })
  snoozed!: number;
}

/** All that a member's page needs. */
export class Account extends WholeList {
  @Part(() => AccountMember, 'The signed-in member.')
  member!: AccountMember;

  @Part(() => AccountWorkspace, 'The workspace.')
  workspace!: AccountWorkspace;

  @ListOf(() => MailboxWithUnread, 'Mailboxes that the member may read, by address.', {
    max: listedMax,
  })
  mailboxes!: MailboxWithUnread[];

  @ListOf(() => AccountNamedMember, 'Active members, first made first.', { max: listedMax })
  members!: AccountNamedMember[];

  @ListOf(() => AccountTeam, 'Teams, first made first.', { max: listedMax })
  teams!: AccountTeam[];

  @ListOf(() => UsableBook, 'Address books that the member may use, by name.', { max: booksMax })
  addressBooks!: UsableBook[];

  @ListOf(() => Calendar, 'Calendars that the member may see.', { max: calendarsMax })
  calendars!: Calendar[];

  @Part(() => AccountCounts, 'What waits for the member.')
  counts!: AccountCounts;
}

/** Input of change: what is absent stays. */
export class UpdateAccount {
  @Text('Name.', { max: 120, filled: true, optional: true })
  name?: string;

  @Flag('Whether mail tells of a sign-in from a device and network that are new to the account.', {
    optional: true,
  })
  signInNotices?: boolean;
}

/** The member after a change. */
export class AccountAnswer extends AnswerOf('member', () => AccountMember, 'The member.') {}

/** Input of a change of password. */
export class ChangePassword {
  @Text('The present password.', { max: 1000, filled: true })
  current!: string;

  @Text('The new one, at least 10 characters.', { max: 1000, filled: true })
  password!: string;
}

/** The account of the signed-in member (`decisions.md` §9). */
export const account = family(
  'access',
  'account',
  {
    get: operation({
      http: 'GET /me',
      summary: 'Read all that one’s own page needs',
      output: Account,
    }),
    update: operation({
      http: 'PATCH /me',
      summary: 'Change one’s own name, and what mail tells of',
      input: UpdateAccount,
      rule: isSeen('name'),
      output: AccountAnswer,
    }),
    changePassword: operation({
      http: 'POST /me/password',
      confidential: true,
      summary: 'Change one’s own password; all other sessions end, and one-time links too',
      input: ChangePassword,
      output: Done,
      problems: ['PASSWORD_WRONG'],
    }),
  },
  { audience: 'member' },
);
