import { Done } from '../answers.js';
import { Count, Flag, JsonObject, Text, Texts, type Violation } from '../fields/index.js';
import { IdOf } from '../inputs.js';
import { family, operation } from '../operation.js';
import { credentialBytesMax, SignInAnswer } from './sessions.js';

/** Recovery codes that a member is given at once. */
export const recoveryCodesMax = 10;

/** A code of six digits, as an application shows it. */
const codeMax = 10;

/** A secret for a code application. */
export class NewTotp {
  @Text('The secret, base32, for applications that cannot read the URL. Shown this once.', {
    max: 100,
  })
  secret!: string;

  @Text('The secret as an `otpauth:` URL, for a QR code.', { max: 1000 })
  url!: string;
}

/** Input of its confirmation. */
export class ConfirmTotp {
  @Text('The code that the application shows now.', { max: codeMax, filled: true })
  code!: string;
}

/** Codes for when every other second factor is lost. */
export class RecoveryCodes {
  @Texts('Each can be used once. Shown this once.', { max: recoveryCodesMax, each: 40 })
  recoveryCodes!: string[];
}

/** The answer of an enrolment. */
export class Enrolled {
  @Texts('With the first second factor of a member: each can be used once. Shown this once.', {
    max: recoveryCodesMax,
    each: 40,
    optional: true,
  })
  recoveryCodes?: string[];
}

/** Codes of an application (RFC 6238): SHA-1, six digits, 30 s, as all applications know it. */
export const totp = family(
  'access',
  'totp',
  {
    begin: operation({
      http: 'POST /me/totp',
      confidential: true,
      session: 'enrolling',
      stepUp: true,
      summary: 'Begin to set up a code application',
      description: 'It counts as a second factor once a code of it was confirmed.',
      output: NewTotp,
      problems: ['TOTP_EXISTS'],
    }),
    confirm: operation({
      http: 'POST /me/totp/confirm',
      confidential: true,
      session: 'enrolling',
      stepUp: true,
      summary: 'Confirm a code application with a code of it',
      input: ConfirmTotp,
      output: Enrolled,
      problems: ['TOTP_EXISTS', 'TOTP_NOT_FOUND', 'SECOND_FACTOR_REFUSED'],
    }),
    remove: operation({
      http: 'DELETE /me/totp',
      stepUp: true,
      summary: 'Remove the code application',
      output: Done,
      problems: ['TOTP_NOT_FOUND'],
    }),
  },
  { audience: 'member' },
);

/** Second factors of a member. */
export class SecondFactorState {
  @Flag('Whether a code application is set up.')
  totp!: boolean;

  @Count('Recovery codes that were not used yet.', { max: recoveryCodesMax })
  recoveryCodes!: number;

  @Flag('Whether the workspace requires a second factor of all.')
  required!: boolean;
}

/** Options for an authenticator. */
export class SecondFactorOptions {
  @JsonObject(
    'Options for `navigator.credentials.get` (WebAuthn 3), good once, in this session, for 5 minutes.',
  )
  options!: Readonly<Record<string, unknown>>;
}

/** A proof of who one is: one of the fields. */
export class GiveSecondFactor {
  @Text('A code of the application.', { max: codeMax, filled: true, optional: true })
  code?: string;

  @Text('A recovery code, with or without its hyphens.', { max: 60, filled: true, optional: true })
  recoveryCode?: string;

  @JsonObject('A passkey: the answer of `navigator.credentials.get` to the session’s options.', {
    optional: true,
  })
  passkey?: Readonly<Record<string, unknown>>;

  @Text('The password: for a member without a second factor who is signed in, to prove it again.', {
    max: 1000,
    filled: true,
    optional: true,
  })
  password?: string;
}

const oneProof = (given: GiveSecondFactor): readonly Violation[] =>
  Object.values(given).filter((value) => value !== undefined).length === 1
    ? []
    : [
        {
          field: '',
          message: { fr: 'une seule preuve attendue', en: 'expected one proof, not several' },
        },
      ];

/** Second factors of the signed-in member, and their use. */
export const secondFactor = family(
  'access',
  'secondFactor',
  {
    get: operation({
      http: 'GET /me/second-factor',
      session: 'enrolling',
      summary: 'Read which second factors one has',
      output: SecondFactorState,
    }),
    begin: operation({
      http: 'POST /session/passkey-options',
      audit: null,
      session: 'half',
      summary: 'Ask for options to prove oneself with a passkey',
      output: SecondFactorOptions,
    }),
    give: operation({
      http: 'POST /session/second-factor',
      confidential: true,
      bodyMax: credentialBytesMax,
      session: 'half',
      summary: 'Finish a sign-in with a second factor, or prove again who one is',
      description:
        'The session gets another cookie. For a session that is complete it is the proof that changes of sign-in ask for, good for 15 minutes.',
      input: GiveSecondFactor,
      output: SignInAnswer,
      rule: oneProof,
      problems: ['SECOND_FACTOR_REFUSED'],
    }),
    renewRecoveryCodes: operation({
      http: 'POST /me/recovery-codes',
      confidential: true,
      stepUp: true,
      summary: 'Make new recovery codes; the old ones end',
      output: RecoveryCodes,
      problems: ['NO_SECOND_FACTOR'],
    }),
    reset: operation({
      http: 'DELETE /members/:id/second-factor',
      admin: true,
      stepUp: true,
      summary: 'Remove all second factors of a member who has lost them, and end its sessions',
      input: IdOf('mbr', 'The member.'),
      output: Done,
      problems: ['MEMBER_NOT_FOUND'],
    }),
  },
  { audience: 'member' },
);
