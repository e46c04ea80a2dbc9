import { invitationSteps, Problem } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { Expansion } from '../events/index.js';
import { decideReceived } from './receive-invitations.js';
import { setRule, takeUnconfirmed } from './unconfirmed-invitations.js';

/** Invitations that a member confirms, and the rule that all are held to; the gateway has checked the rights. */
export const InvitationStepsHandlers = handlers(invitationSteps, [Expansion], (expansion) => ({
  confirm: {
    prepare: async ({ tenantId }, { messageId }) => {
      const asked = expansion.asked(tenantId);
      return async (context) => {
        context.subject(messageId);
        const received = await takeUnconfirmed(context, messageId);
        if (!received) throw new Problem('INVITATION_SETTLED');
        const { invitation } = await decideReceived({ ...context, asked }, received, {
          ...{ isTrusted: true, times: 2 },
        });
        if (!invitation) throw new Problem('INVITATION_SETTLED');
        return { invitation };
      };
    },
  },

  setRule: async (context, { mailEffects }) => {
    await setRule(context, mailEffects);
    return { ok: true };
  },
}));
