import { Flag } from '../fields/index.js';
import { Nothing } from '../inputs.js';
import { family, operation } from '../operation.js';

/** Settings of the sign-in of the workspace’s members. */
export class SignInSettings {
  @Flag('Whether every member needs a second factor: one without can only enrol one.', {
    default: false,
  })
  requireSecondFactor!: boolean;
}

/** Input of the question. */
export class GetSignInSettings extends Nothing {}

/** Input of the change: all of it. */
export class SetSignInSettings extends SignInSettings {}

/** The sign-in of the workspace’s members (`decisions.md` §9). */
export const signInSettings = family(
  'access',
  'signInSettings',
  {
    get: operation({
      http: 'GET /sign-in',
      effect: 'read',
      summary: 'Read how members sign in',
      input: GetSignInSettings,
      output: SignInSettings,
    }),
    set: operation({
      http: 'PUT /sign-in',
      effect: 'write',
      stepUp: true,
      summary: 'Say how members sign in',
      input: SetSignInSettings,
      output: SignInSettings,
    }),
  },
  { audience: 'member', admin: true },
);
