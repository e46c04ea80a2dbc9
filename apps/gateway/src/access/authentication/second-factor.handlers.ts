import { Problem, secondFactor, totp } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { GatewayConfig } from '../../config.js';
import { MemberEntity, PasskeyEntity, SecondFactorEntity, SessionEntity } from '../entities.js';
import { noteFactor } from '../notices/notice.js';
import { memberOf, renewSession } from '../session.handlers.js';
import { Passkeys } from './passkeys.js';
import { keepChallenge } from './passkeys.handlers.js';
import { settingsOf } from './sign-in-settings.handlers.js';
import {
  endRecoveryCodes,
  lockFactors,
  methodsOf,
  renewCodes,
  SecondFactors,
} from './second-factor.js';

/** Code applications of the signed-in member. */
export const TotpHandlers = handlers(totp, [SecondFactors], (factors) => ({
  begin: (context) => {
    const caller = memberOf(context);
    context.subject(caller.memberId);
    return factors.beginTotp(context, caller);
  },

  confirm: {
    prepare: async (reading, { code }) => {
      const { memberId } = memberOf(reading);
      await factors.countTry(reading, memberId);
      return async (context) => {
        context.subject(memberId);
        const recoveryCodes = await factors.confirmTotp(context, memberId, code);
        await noteFactor(context, memberId, 'totp');
        return recoveryCodes.length > 0 ? { recoveryCodes } : {};
      };
    },
  },

  remove: async (context) => {
    const { memberId } = memberOf(context);
    const { manager } = context;
    context.subject(memberId);
    const row = await lockFactors(manager, memberId);
    if (!row?.totpConfirmed) throw new Problem('TOTP_NOT_FOUND');
    await manager.save(Object.assign(row, { sealedTotp: null, totpConfirmed: false }));
    await endRecoveryCodes(manager, memberId);
    await noteFactor(context, memberId, 'noTotp');
    return { ok: true };
  },
}));

/** Second factors of the signed-in member, and their use. */
export const SecondFactorHandlers = handlers(
  secondFactor,
  [SecondFactors, Passkeys, GatewayConfig],
  (factors, passkeys, config) => ({
    get: (context) =>
      context.entities(async (manager) => {
        const { memberId } = memberOf(context);
        const row = await manager.findOneBy(SecondFactorEntity, { memberId });
        return {
          totp: row?.totpConfirmed ?? false,
          recoveryCodes: row?.recoveryHashes.length ?? 0,
          required: (await settingsOf(manager, context)).requireSecondFactor,
        };
      }),

    begin: async (context) => {
      const { memberId } = memberOf(context);
      const known = await context.manager.findBy(PasskeyEntity, { memberId });
      return keepChallenge(context, await passkeys.use(known));
    },

    give: {
      prepare: async (reading, proof) => {
        const proved = await factors.judge(reading, memberOf(reading), proof);
        return async (context) => {
          await proved(context);
          return renewSession(context, config);
        };
      },
    },

    renewRecoveryCodes: async (context) => {
      const { manager } = context;
      const { memberId } = memberOf(context);
      context.subject(memberId);
      const row = await lockFactors(manager, memberId);
      if (!row || (await methodsOf(manager, memberId)).length === 0)
        throw new Problem('NO_SECOND_FACTOR');
      const recoveryCodes = renewCodes(row);
      await manager.save(row);
      await noteFactor(context, memberId, 'recoveryCodes');
      return { recoveryCodes };
    },

    reset: async (context, { id }) => {
      const { manager } = context;
      if (!(await manager.existsBy(MemberEntity, { id }))) throw new Problem('MEMBER_NOT_FOUND');
      await manager.delete(SecondFactorEntity, { memberId: id });
      await manager.delete(PasskeyEntity, { memberId: id });
      await manager.delete(SessionEntity, { memberId: id });
      await noteFactor(context, id, 'none');
      return { ok: true };
    },
  }),
);
