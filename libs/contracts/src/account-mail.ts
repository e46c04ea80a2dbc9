import { Done } from './answers.js';
import { Email, Text } from './fields/index.js';
import { family, operation } from './operation.js';

/** A message to a member about the member's account. */
export class AccountMail {
  @Email('The member.')
  to!: string;

  @Text('Subject.', { max: 200, filled: true })
  subject!: string;

  @Text('Plain text.', { max: 10_000, filled: true })
  text!: string;
}

/** Requests of the gateway to have mail handed to the deployment's own server. */
export const accountMail = family(
  'mail',
  'accountMail',
  {
    send: operation({
      http: 'POST /services/mail/account-mail',
      effect: 'intake',
      confidential: true,
      audit: null,
      deadlineMs: 30_000,
      summary: 'Hand a message about an account to the deployment’s own server',
      input: AccountMail,
      output: Done,
      problems: ['OUTGOING_UNAVAILABLE'],
    }),
  },
  { audience: 'service' },
);
