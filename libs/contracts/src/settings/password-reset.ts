import { Done } from '../answers.js';
import { Email } from '../fields/index.js';
import { family, operation } from '../operation.js';
import { AcceptInvitation, credentialBytesMax, SignInAnswer } from './sessions.js';

/** Input of a request for a reset link. */
export class RequestPasswordReset {
  @Email('Address of the member.')
  email!: string;
}

/** Input that answers a reset link. */
export class AcceptPasswordReset extends AcceptInvitation {}

/** A forgotten password is replaced by mail (`decisions.md` §9). */
export const passwordReset = family(
  'access',
  'passwordReset',
  {
    request: operation({
      http: 'POST /password-reset',
      effect: 'intake',
      success: 202,
      confidential: true,
      audit: null,
      bodyMax: credentialBytesMax,
      summary: 'Ask for a mail with a link to choose a new password',
      description:
        'The answer is the same whether or not the address is a member’s. The link is good for an hour, once.',
      input: RequestPasswordReset,
      output: Done,
    }),
    accept: operation({
      http: 'POST /password-reset/accept',
      confidential: true,
      bodyMax: credentialBytesMax,
      summary: 'Choose a new password through a reset link, and sign in; all other sessions end',
      input: AcceptPasswordReset,
      output: SignInAnswer,
      problems: ['INVITATION_INVALID', 'PASSWORDS_OFF'],
    }),
  },
  { audience: 'anyone' },
);
