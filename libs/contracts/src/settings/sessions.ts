import { Done, SettingsPage, Tenant } from '../answers.js';
import {
  Email,
  Flag,
  Id,
  Instant,
  JsonObject,
  ListOf,
  Part,
  SomeOf,
  Text,
} from '../fields/index.js';
import { IdOf } from '../inputs.js';
import { family, operation } from '../operation.js';
import { Member } from './members.js';

/** Credentials of a sign-in. */
export class SignIn {
  @Email('Address of the member.')
  email!: string;

  @Text('Password.', { max: 1000, filled: true })
  password!: string;
}

/** Proofs of a member beside its password. */
export const proofMethods = ['passkey', 'totp', 'recovery_code'] as const;
export type ProofMethod = (typeof proofMethods)[number];

/** Input that answers an invitation or reset link. */
export class AcceptInvitation {
  @Text('The `token` of the link.', { max: 200, filled: true })
  token!: string;

  @Text('The new password, at least 10 characters.', { max: 1000, filled: true })
  password!: string;
}

/** The signed-in member, and the workspace. */
export class SessionAnswer {
  @Part(() => Member, 'The member.')
  member!: Member;

  @Part(() => Tenant, 'The workspace.')
  tenant!: Tenant;
}

/** Input of a sign-in with a passkey. */
export class SignInByPasskey {
  @JsonObject('The answer of `navigator.credentials.get`, as its `toJSON` gives it.')
  credential!: Readonly<Record<string, unknown>>;
}

/** The second factor that a sign-in waits for. */
export class SecondFactorStep {
  @SomeOf(proofMethods, 'What the member can finish it with; empty when it has to enrol one first.')
  methods!: ProofMethod[];
}

/** A sign-in: complete with member and workspace; with `secondFactor`, a step is missing. */
export class SignInAnswer {
  @Part(() => Member, 'The member; absent until a second factor is given.', { optional: true })
  member?: Member;

  @Part(() => Tenant, 'The workspace; absent until a second factor is given.', { optional: true })
  tenant?: Tenant;

  @Part(
    () => SecondFactorStep,
    'Present when a step is missing: the session can only finish it, within 5 minutes, or enrol.',
    { optional: true },
  )
  secondFactor?: SecondFactorStep;
}

/** The end of a session. */
export class SessionEnd extends Done {
  @Text('Where to lead the browser to sign out of the provider too, where that offers it.', {
    max: 2000,
    optional: true,
  })
  signOutUrl?: string;
}

/** Bytes of a body that is read before its sender is known. */
export const credentialBytesMax = 8 * 1024;

/** Sign-in of members with a password; the answer sets the session cookie. */
export const signIn = family(
  'access',
  'session',
  {
    create: operation({
      http: 'POST /session',
      confidential: true,
      bodyMax: credentialBytesMax,
      summary: 'Sign in',
      input: SignIn,
      output: SignInAnswer,
      problems: ['SIGN_IN_FAILED'],
    }),
    passkey: operation({
      http: 'POST /session/passkey',
      confidential: true,
      bodyMax: credentialBytesMax,
      summary: 'Sign in with a passkey alone',
      description:
        'Its options are those of `GET /settings/api/session/passkey`, good once, for 5 minutes, in the browser that has asked for them. The authenticator has verified its user, so that no second factor is asked for.',
      input: SignInByPasskey,
      output: SignInAnswer,
      problems: ['SIGN_IN_FAILED'],
    }),
    accept: operation({
      http: 'POST /invitations/accept',
      confidential: true,
      bodyMax: credentialBytesMax,
      summary: 'Choose a password through an invitation or reset link, and sign in',
      input: AcceptInvitation,
      output: SignInAnswer,
      problems: ['INVITATION_INVALID', 'PASSWORDS_OFF'],
    }),
  },
  { audience: 'anyone' },
);

/** The session of the signed-in member. */
export const session = family(
  'access',
  'session',
  {
    get: operation({
      http: 'GET /session',
      session: 'enrolling',
      summary: 'Who is signed in',
      output: SessionAnswer,
    }),
    end: operation({
      http: 'DELETE /session',
      effect: 'write',
      session: 'half',
      summary: 'Sign out',
      output: SessionEnd,
    }),
  },
  { audience: 'member' },
);

/** Sessions of a member at once: a sign-in beyond them ends the oldest. */
export const sessionsMax = 1_000;

/** A sign-in that has not ended. */
export class MemberSession {
  @Id('ses', 'The session.')
  id!: string;

  @Instant('Sign-in.')
  createdAt!: string;

  @Instant('Last use, to the minute.')
  seenAt!: string;

  @Flag('Whether this request came with it.')
  current!: boolean;

  @Text('Browser and system of the sign-in, as they named themselves.', {
    max: 120,
    nullable: true,
  })
  device!: string | null;

  @Text('The IP address that the sign-in came from.', { max: 64, nullable: true })
  address!: string | null;
}

/** One’s own sessions. */
export class SessionList extends SettingsPage {
  @ListOf(() => MemberSession, 'Sessions, the newest first.', { max: sessionsMax })
  items!: MemberSession[];
}

/** The sessions of the signed-in member, in whatever browser (`decisions.md` §9). */
export const sessions = family(
  'access',
  'sessions',
  {
    list: operation({
      http: 'GET /sessions',
      summary: 'List one’s own sessions',
      output: SessionList,
    }),
    remove: operation({
      http: 'DELETE /sessions/:id',
      summary: 'End one of one’s own sessions',
      input: IdOf('ses', 'The session.'),
      output: Done,
      problems: ['SESSION_NOT_FOUND'],
    }),
  },
  { audience: 'member' },
);
