import { passwordReset, Problem } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { GatewayConfig } from '../config.js';
import { queue } from './notices/notice.js';
import { acceptLink, memberOf } from './session.handlers.js';

/**
 * A forgotten password. The request does the same whether or not the address is a member's, which is found out when
 * the mail is sent.
 */
export const PasswordResetHandlers = handlers(passwordReset, [GatewayConfig], (config) => ({
  request: async (context, { email }) => {
    const { requestId } = context;
    const { signsInFrom: { host } = { host: '' } } = memberOf(context);
    if (!(await queue(context, 'reset', { email, host, requestId })))
      throw new Problem('SERVICE_UNAVAILABLE');
    return { ok: true };
  },

  accept: acceptLink(config),
}));
