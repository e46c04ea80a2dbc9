import { Problem, secondFactor, signInSettings, totp } from '@postroom/contracts';
import { handlers, type Reading } from '@postroom/operations';
import { GatewayConfig } from '../../config.js';
import {
  MemberEntity,
  SecondFactorEntity,
  SessionEntity,
  SignInSettingsEntity,
} from '../entities.js';
import { memberOf, renewSession } from '../session.handlers.js';
import { lockFactors, methodsOf, renewCodes, SecondFactors } from './second-factor.js';

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
    // Recovery codes stand in for another factor: they go with the last one.
    const rest = { sealedTotp: null, totpConfirmed: false, recoveryHashes: [] as string[] };
    await manager.save(Object.assign(row, rest));
    return { ok: true };
  },
}));

/** Second factors of the signed-in member, and their use. */
export const SecondFactorHandlers = handlers(
  secondFactor,
  [SecondFactors, GatewayConfig],
  (factors, config) => ({
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
      return { recoveryCodes };
    },

    reset: async ({ manager }, { id }) => {
      if (!(await manager.existsBy(MemberEntity, { id }))) throw new Problem('MEMBER_NOT_FOUND');
      await manager.delete(SecondFactorEntity, { memberId: id });
      await manager.delete(SessionEntity, { memberId: id });
      return { ok: true };
    },
  }),
);

const settingsOf = async (
  manager: Parameters<Parameters<Reading['entities']>[0]>[0],
  { tenantId }: Pick<Reading, 'tenantId'>,
) =>
  (await manager.findOneBy(SignInSettingsEntity, { tenantId })) ?? { requireSecondFactor: false };

/** Settings of the sign-in of the workspace’s members. */
export const SignInSettingsHandlers = handlers(signInSettings, {
  get: (context) =>
    context.entities(async (manager) => {
      const { requireSecondFactor } = await settingsOf(manager, context);
      return { requireSecondFactor };
    }),

  set: async ({ manager, tenantId, subject }, { requireSecondFactor }) => {
    subject(tenantId);
    await manager.save(manager.create(SignInSettingsEntity, { tenantId, requireSecondFactor }));
    return { requireSecondFactor };
  },
});
