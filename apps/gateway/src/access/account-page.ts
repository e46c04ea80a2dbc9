import {
  bookLists,
  calendars,
  inbox,
  isSandbox,
  listed,
  listedMax,
  type Account,
  type AccountMember,
  type CalendarList,
  type ContainerType,
  type InboxCounts,
  type Operation,
  type UsableBooks,
} from '@postroom/contracts';
import type { OperationClient, Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { requireSuccess } from '../problems.js';
import { MemberEntity, TeamEntity, TenantEntity } from './entities.js';
import { memberView } from './members.handlers.js';
import { memberOf } from './session.handlers.js';
import type { Visibility } from './visibility.js';

/** A member as it sees itself. */
export const ownView = (member: MemberEntity): AccountMember => ({
  ...memberView(member),
  signInNotices: member.signInNotices,
});

/** Approvals that wait, of one mailbox, book or calendar. */
interface Waiting {
  readonly withinType: ContainerType | 'member' | null;
  readonly withinId: string | null;
  readonly waiting: number;
}

const countWaiting = statement<Waiting>(
  'access.count_waiting_approvals',
  'SELECT within_type AS "withinType", within_id AS "withinId", waiting FROM waiting_approvals($1)',
);

const firstMadeFirst = { order: { id: 'ASC' }, take: listedMax } as const;

/** The other services, and what a member sees of them. */
interface AccountParts {
  readonly operations: OperationClient;
  readonly visibility: Visibility;
}

/** All that a member's page needs, read from every service at once. @throws Problem that one of them answered */
export async function readAccount(context: Reading, parts: AccountParts): Promise<Account> {
  const ask = async <T>(operation: Operation): Promise<T> => {
    const { caller, requestId } = context;
    const reply = await parts.operations.call(operation, caller, {}, { requestId });
    return JSON.parse(requireSuccess(reply).body.toString()) as T;
  };
  const [own, inboxCounts, books, calendarList, approvals] = await Promise.all([
    readOwn(context),
    ask<InboxCounts>(inbox.counts),
    ask<UsableBooks>(bookLists.addressBooks),
    ask<CalendarList>(calendars.list),
    countApprovals(context, parts),
  ]);
  const { mailboxes, mine, unassigned, snoozed } = inboxCounts;
  return {
    ...own,
    mailboxes,
    addressBooks: books.addressBooks,
    calendars: calendarList.calendars,
    counts: { approvals, mine, unassigned, snoozed },
  };
}

/** The part that the gateway itself keeps. */
function readOwn(
  context: Reading,
): Promise<Pick<Account, 'member' | 'workspace' | 'members' | 'teams'>> {
  const { memberId } = memberOf(context);
  return context.entities(async (manager) => {
    const member = await manager.findOneByOrFail(MemberEntity, { id: memberId });
    const tenant = await manager.findOneByOrFail(TenantEntity, { id: context.tenantId });
    const members = await manager.find(MemberEntity, {
      where: { active: true },
      ...firstMadeFirst,
    });
    const teams = await manager.find(TeamEntity, firstMadeFirst);
    const { name, timeZone, sendOpen } = tenant;
    return {
      member: ownView(member),
      workspace: { name, timeZone, sendOpen, sandbox: isSandbox(context.tenantId) },
      members: listed(members).all.map(({ id, email, name: called, canApprove }) => ({
        ...{ id, email, name: called, canApprove },
      })),
      teams: listed(teams).all.map(({ id, name: called, memberIds }) => ({
        ...{ id, name: called, mine: memberIds.includes(memberId) },
      })),
    };
  });
}

async function countApprovals(context: Reading, { visibility }: AccountParts): Promise<number> {
  const waiting = await context.rows(countWaiting, []);
  const seen = await visibility.visible(context, waiting);
  return seen.reduce((sum, one) => sum + one.waiting, 0);
}
