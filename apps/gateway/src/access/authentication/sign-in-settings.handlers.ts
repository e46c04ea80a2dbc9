import {
  oidcSessions,
  Problem,
  signInSettings,
  type SetSignInSettings,
  type SignInSettingsView,
} from '@postroom/contracts';
import { handlers, type Reading } from '@postroom/operations';
import type { EntityManager } from 'typeorm';
import { GatewayConfig } from '../../config.js';
import { SignInSettingsEntity } from '../entities.js';
import { beginSession, isToEnrol, lockMember, memberOf } from '../session.handlers.js';
import { OidcProviders } from './oidc-provider.js';

/** Settings of a workspace’s sign-in, or those of one that has set none. */
export const settingsOf = async (
  manager: EntityManager,
  { tenantId }: Pick<Reading, 'tenantId'>,
): Promise<SignInSettingsEntity> =>
  (await manager.findOneBy(SignInSettingsEntity, { tenantId })) ??
  manager.create(SignInSettingsEntity, {
    tenantId,
    ...{ issuer: null, clientId: null, sealedClientSecret: null, domains: [] },
    ...{ passwords: true, requireSecondFactor: false },
  });

const view = (settings: SignInSettingsEntity, providers: OidcProviders): SignInSettingsView => {
  const { tenantId, issuer, clientId, domains, passwords, requireSecondFactor } = settings;
  const redirectUri = providers.redirectUri(tenantId);
  return { issuer, clientId, domains, passwords, requireSecondFactor, redirectUri };
};

/** Settings of the sign-in of the workspace’s members. */
export const SignInSettingsHandlers = handlers(signInSettings, [OidcProviders], (providers) => ({
  get: (context) =>
    context.entities(async (manager) => view(await settingsOf(manager, context), providers)),

  set: {
    prepare: async (reading, given) => {
      const before = await reading.entities((manager) => settingsOf(manager, reading));
      const secret = secretOf(providers, before, given);
      const { issuer = null, clientId = null, domains = [] } = given;
      if (issuer !== null && clientId !== null)
        await requireProvider(providers, { issuer, clientId, secret });
      const { passwords, requireSecondFactor } = given;
      return async ({ manager, tenantId, subject }) => {
        subject(tenantId);
        const sealedClientSecret = issuer === null ? null : providers.sealed(secret, tenantId);
        const oidc = { issuer, clientId, sealedClientSecret, domains };
        const settings = { tenantId, ...oidc, passwords, requireSecondFactor };
        return view(await manager.save(manager.create(SignInSettingsEntity, settings)), providers);
      };
    },
  },
}));

/** The client's secret: the one that is given, or the one of before where it is for the same client. */
function secretOf(
  providers: OidcProviders,
  before: SignInSettingsEntity,
  { issuer = null, clientId = null, clientSecret }: SetSignInSettings,
): string {
  if (clientSecret !== undefined || issuer === null) return clientSecret ?? '';
  const { sealedClientSecret: sealed, tenantId } = before;
  if (sealed === null || before.issuer !== issuer || before.clientId !== clientId)
    throw faultOf('clientSecret', 'secret du client attendu', 'expected the secret of this client');
  return providers.opened(sealed, tenantId);
}

/** @throws Problem INVALID_REQUEST, in the same words whatever is wrong with the provider */
async function requireProvider(
  providers: OidcProviders,
  { issuer, clientId, secret }: { issuer: string; clientId: string; secret: string },
): Promise<void> {
  await providers.discover(issuer, clientId, secret).catch((cause: unknown) => {
    throw faultOf(
      'issuer',
      'fournisseur OpenID Connect public et joignable attendu',
      'expected a public OpenID Connect provider that answers under this address',
      cause,
    );
  });
}

const faultOf = (field: string, fr: string, en: string, cause?: unknown): Problem =>
  new Problem('INVALID_REQUEST', { cause, violations: [{ field, message: { fr, en } }] });

/** Sessions of members whom a provider has signed in. */
export const OidcSessionsHandlers = handlers(oidcSessions, [GatewayConfig], (config) => ({
  begin: async (context, { signOutUrl, authenticatedAt }) => {
    const caller = memberOf(context);
    const { memberId } = caller;
    const member = await lockMember(context.manager, memberId, 'pessimistic_read');
    if (!member?.active) throw new Problem('SIGN_IN_FAILED');
    const told = authenticatedAt === undefined ? null : new Date(authenticatedAt);
    // Nothing but this sign-in can prove who a member is that has yet to enrol.
    const provedAt = (await isToEnrol(context, caller)) ? new Date() : told;
    return beginSession(context, config, { signOutUrl: signOutUrl ?? null, provedAt });
  },
}));
