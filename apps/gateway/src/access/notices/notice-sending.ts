import { startRounds } from '@postroom/concurrency';
import { accountMail, newId } from '@postroom/contracts';
import { OperationClient, UnitOfWork } from '@postroom/operations';
import { statement, type Database } from '@postroom/persistence';
import type { MemberCaller } from '@postroom/access';
import type { Log } from '@postroom/service';
import { MoreThan } from 'typeorm';
import type { GatewayConfig } from '../../config.js';
import { requireSuccess } from '../../problems.js';
import {
  hashInvitationToken,
  type MemberAuthentication,
} from '../authentication/member-authentication.js';
import { InvitationEntity } from '../entities.js';
import { makeLink, resetUrl } from '../invitations.js';
import type {
  FactorNotice,
  NoticeData,
  NoticedMember,
  ResetNotice,
  SignInNotice,
} from './notice.js';
import { factorText, resetText, signInText, type NoticeText } from './notice-texts.js';

const everyMs = 1_000;
/** Messages of one round. */
const roundMax = 20;
/** With the last of them half an hour after the first. */
const attemptsMax = 6;
/** Reset links of a member that are good at a time: requests for them cannot fill a mailbox. */
const resetsMax = 3;

interface TakenNotice {
  readonly id: string;
  readonly kind: keyof NoticeData;
  readonly data: string;
  readonly attempts: number;
}

const takeNotices = statement<TakenNotice>(
  'access.take_notices',
  'SELECT id, kind, data, attempts FROM take_notices($1)',
);
const endVainNotices = statement<object>('access.end_vain_notices', 'SELECT end_vain_notices()');
const endNotice = statement<object>('access.end_notice', 'SELECT end_notice($1)');

/** The parts of the gateway that mail about accounts needs. */
export interface NoticeParts {
  readonly database: Database;
  readonly operations: OperationClient;
  readonly members: MemberAuthentication;
  readonly config: Pick<GatewayConfig, 'publicUrl'>;
  readonly log: Log;
}

/**
 * Hands queued mail about accounts to the mail service, every second.
 * @returns how to stop it: resolves when the round under way is over
 */
export const startNotices = (parts: NoticeParts): (() => Promise<void>) =>
  startRounds(() => sendDue(parts), {
    everyMs,
    onFailure: (err) => {
      parts.log.warn({ err }, 'mail about accounts could not be read, retrying');
    },
  });

/** One round. A message that no server takes does not stop the others. */
async function sendDue(parts: NoticeParts): Promise<void> {
  const { database, log } = parts;
  await database.rows(endVainNotices, []);
  const due = await database.rows(takeNotices, [roundMax]);
  const sending = due.map(async ({ id, kind, data, attempts }) => {
    try {
      await senders[kind](parts, JSON.parse(data) as never);
    } catch (err) {
      const isLast = attempts >= attemptsMax;
      log.warn({ err, notice: id, kind, isLast }, 'mail about an account could not be sent');
      if (!isLast) return;
    }
    await database.rows(endNotice, [id]);
  });
  await Promise.all(sending);
}

const senders: {
  readonly [K in keyof NoticeData]: (parts: NoticeParts, data: NoticeData[K]) => Promise<void>;
} = {
  sign_in: (parts, notice: SignInNotice) =>
    send(parts, notice, signInText(notice, parts.config.publicUrl)),

  factor: (parts, notice: FactorNotice) =>
    send(parts, notice, factorText(notice, parts.config.publicUrl)),

  reset: async (parts, { email, host, requestId }: ResetNotice) => {
    for (const member of await parts.members.passwordOwners(email, host)) {
      const token = await makeReset(parts, member, requestId);
      if (token === null) continue;
      try {
        await send(parts, member, resetText(member, resetUrl(parts.config.publicUrl, token)));
      } catch (error) {
        await forgetLink(parts, member, token);
        throw error;
      }
    }
  },
};

/** @returns the token of a new link; null when the member has enough of them */
const makeReset = (
  { database }: NoticeParts,
  { tenantId, memberId }: NoticedMember,
  requestId: string,
): Promise<string | null> =>
  new UnitOfWork(database).change(originOf({ tenantId, memberId }), null, async (changing) => {
    const good = { memberId, kind: 'reset', expiresAt: MoreThan(changing.at) } as const;
    if ((await changing.manager.countBy(InvitationEntity, good)) >= resetsMax)
      return { value: null };
    return {
      value: await makeLink(changing, memberId, 'reset'),
      audit: { action: 'passwordReset.request', subjectId: memberId, requestId },
    };
  });

const originOf = ({ tenantId, memberId }: Pick<NoticedMember, 'tenantId' | 'memberId'>) =>
  ({ tenantId, actor: { type: 'member', id: memberId }, source: 'app' }) as const;

/** Another attempt makes a link of its own. */
const forgetLink = (
  { database }: NoticeParts,
  member: NoticedMember,
  token: string,
): Promise<unknown> =>
  new UnitOfWork(database).change(originOf(member), null, async ({ manager }) => {
    await manager.delete(InvitationEntity, { tokenHash: hashInvitationToken(token) });
    return { value: undefined };
  });

async function send(
  { operations }: NoticeParts,
  { tenantId, memberId, email, name }: NoticedMember,
  text: NoticeText,
): Promise<void> {
  const caller: MemberCaller = {
    ...{ type: 'member', tenantId, source: 'app', memberId, email, name },
    ...{ role: 'member', canApprove: false, sessionId: null },
  };
  const options = { requestId: newId('req') };
  requireSuccess(await operations.call(accountMail.send, caller, { to: email, ...text }, options));
}
