import { Flag, Instant, Text, Texts, type Violation } from '../fields/index.js';
import { family, operation } from '../operation.js';
import { SignInAnswer } from './sessions.js';

const domainsMax = 20;

/** Settings of the sign-in of the workspace’s members. */
export class SignInSettings {
  @Text('Address of the OpenID Connect provider, as it names itself; null for none.', {
    max: 500,
    nullable: true,
    optional: true,
  })
  issuer?: string | null;

  @Text('The client’s id at the provider.', { max: 200, nullable: true, optional: true })
  clientId?: string | null;

  @Texts(
    'Domains of addresses that the provider may vouch for; empty for all. An address leads to this workspace (`?email=`) only by one that the workspace has proved.',
    {
      max: domainsMax,
      each: 253,
      optional: true,
    },
  )
  domains?: string[];

  @Flag('Whether passwords stay; administrators keep theirs, so that nobody is locked out.', {
    default: true,
  })
  passwords!: boolean;

  @Flag('Whether every member needs a second factor: one without can only enrol one.', {
    default: false,
  })
  requireSecondFactor!: boolean;
}

/** The same, read. */
export class SignInSettingsView extends SignInSettings {
  @Text('The redirect URI to register at the provider, of this workspace alone.', { max: 2000 })
  redirectUri!: string;
}

/** Input of the change: all of it. */
export class SetSignInSettings extends SignInSettings {
  @Text('The client’s secret, never read back; absent, it stays while issuer and client do.', {
    max: 500,
    filled: true,
    optional: true,
  })
  clientSecret?: string;
}

const domain = /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,9}$/;

const isIssuer = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
};

function settingsFaults(given: SetSignInSettings): readonly Violation[] {
  const { issuer = null, clientId = null, domains = [], passwords } = given;
  const faults: Violation[] = domains.flatMap((one, i) =>
    domain.test(one)
      ? []
      : [fault(`domains.${i}`, 'domaine attendu, en minuscules', 'expected a domain, lower case')],
  );
  if (issuer !== null && !isIssuer(issuer))
    faults.push(fault('issuer', 'URL d’un émetteur attendue', 'expected the URL of an issuer'));
  if ((issuer === null) !== (clientId === null))
    faults.push(fault('clientId', 'à donner avec issuer', 'expected together with issuer'));
  if (issuer === null && !passwords)
    faults.push(fault('issuer', 'sans mot de passe il en faut un', 'expected without passwords'));
  return faults;
}

const fault = (field: string, fr: string, en: string): Violation => ({
  field,
  message: { fr, en },
});

/** The sign-in of the workspace’s members (`decisions.md` §9). */
export const signInSettings = family(
  'access',
  'signInSettings',
  {
    get: operation({
      http: 'GET /sign-in',
      summary: 'Read how members sign in',
      output: SignInSettingsView,
    }),
    set: operation({
      http: 'PUT /sign-in',
      confidential: true,
      stepUp: true,
      summary: 'Say how members sign in',
      description:
        'With an `issuer`, members sign in at `GET /settings/api/oidc/start?workspace=…`, which leads to the provider and back to `redirectUri`, to be registered there. A member is matched by an address that the provider has verified.',
      input: SetSignInSettings,
      output: SignInSettingsView,
      rule: settingsFaults,
    }),
  },
  { audience: 'member', admin: true },
);

/** Input of a session by a provider. */
export class BeginOidcSession {
  @Text('Where the browser signs out of the provider.', { max: 2000, optional: true })
  signOutUrl?: string;

  @Instant('When the provider has last asked who it is, if it says so.', { optional: true })
  authenticatedAt?: string;
}

/** The session of a member whom a provider has signed in: the edge has judged the provider’s answer. */
export const oidcSessions = family(
  'access',
  'oidcSessions',
  {
    begin: operation({
      http: 'POST /services/access/oidc-sessions',
      confidential: true,
      summary: 'Begin the session of a member whom the provider has signed in',
      input: BeginOidcSession,
      output: SignInAnswer,
      problems: ['SIGN_IN_FAILED'],
    }),
  },
  { audience: 'service' },
);
