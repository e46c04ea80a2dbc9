import { findPassword } from '@postroom/access';
import { account, Problem, type Account } from '@postroom/contracts';
import { handlers, OperationClient } from '@postroom/operations';
import { Not } from 'typeorm';
import { ownView, readAccount } from './account-page.js';
import { acceptPassword } from './authentication/new-passwords.js';
import { SignInAttempts } from './authentication/sign-in-attempts.js';
import { InvitationEntity, MemberEntity, SessionEntity } from './entities.js';
import { lockMember, memberOf } from './session.handlers.js';
import { Visibility } from './visibility.js';

/** The signed-in member's own account. */
export const AccountHandlers = handlers(
  account,
  [OperationClient, Visibility, SignInAttempts],
  (operations, visibility, attempts) => ({
    get: (context): Promise<Account> => readAccount(context, { operations, visibility }),

    update: async (context, { name, signInNotices }) => {
      const { memberId } = memberOf(context);
      const member = requireActive(
        await lockMember(context.manager, memberId, 'pessimistic_write'),
      );
      context.subject(memberId);
      member.name = name?.trim() ?? member.name;
      member.signInNotices = signInNotices ?? member.signInNotices;
      return { member: ownView(await context.manager.save(member)) };
    },

    changePassword: {
      prepare: async (reading, { current, password }) => {
        const { memberId, sessionId } = memberOf(reading);
        const before = await reading.entities((manager) =>
          manager.findOneByOrFail(MemberEntity, { id: memberId }),
        );
        const stored = before.passwordHash;
        const hashes = stored === null ? [] : [stored];
        const found = await attempts.limitedOf(memberId, async () =>
          (await findPassword(current, hashes, { known: memberId })) < 0 ? null : true,
        );
        if (found === null) throw new Problem('PASSWORD_WRONG');
        const passwordHash = await acceptPassword(password, memberId);
        return async ({ manager, subject }) => {
          subject(memberId);
          const member = requireActive(await lockMember(manager, memberId, 'pessimistic_write'));
          // Another change was faster: what was given as the present password is not it.
          if (member.passwordHash !== stored) throw new Problem('PASSWORD_WRONG');
          await manager.update(MemberEntity, { id: memberId }, { passwordHash });
          await manager.delete(InvitationEntity, { memberId });
          await manager.delete(SessionEntity, {
            memberId,
            ...(sessionId && { id: Not(sessionId) }),
          });
          return { ok: true };
        };
      },
    },
  }),
);

/** A member who was removed while the request was under way is signed in no more. */
function requireActive(member: MemberEntity | null): MemberEntity {
  if (!member?.active) throw new Problem('UNAUTHENTICATED');
  return member;
}
