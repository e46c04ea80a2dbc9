import { Injectable, type Type } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { readSessionCookie, type MemberCaller } from '@postroom/access';
import {
  passwordReset,
  Problem,
  signIn,
  unknownId,
  type AcceptInvitation,
  type Operation,
  type RequestPasswordReset,
  type SignIn,
  type SignInByPasskey,
} from '@postroom/contracts';
import type { FastifyRequest } from 'fastify';
import type { Strategy as AnyStrategy } from 'passport';
import { Strategy } from 'passport-custom';
import {
  MemberAuthentication,
  PasskeySignIn,
  requireStanding,
  SignInAttempts,
  type Authorization,
  type RefusedActor,
} from '../../access/index.js';
import { GatewayConfig } from '../../config.js';
import { deviceOf } from './device.js';

const presentedSession = ({ headers }: FastifyRequest, config: GatewayConfig) =>
  readSessionCookie(headers.cookie ?? null, config);

/** The facts of a request that begins a session. */
export const signInOf = (request: FastifyRequest, config: GatewayConfig) => ({
  token: presentedSession(request, config),
  device: deviceOf(request.headers['user-agent'] ?? ''),
  address: request.ip.slice(0, 64),
  host: request.hostname,
});

/** Passport strategy of the settings API: the session cookie. */
@Injectable()
export class SessionStrategy extends PassportStrategy(Strategy, 'session') {
  constructor(
    private readonly members: MemberAuthentication,
    private readonly config: GatewayConfig,
  ) {
    super();
  }

  async validate(request: FastifyRequest): Promise<Authorization> {
    const found = await this.members.bySession(
      presentedSession(request, this.config),
      request.hostname,
    );
    const page = request.headers['x-postroom-member'];
    // A page that was loaded before another member signed in is refused.
    if (!found || (page !== undefined && page !== found.caller.memberId))
      throw new Problem('UNAUTHENTICATED');
    requireStanding(found, request.state.operation);
    return found;
  }
}

/** Passport strategy of a sign-in: address and password in the body. */
@Injectable()
export class SignInStrategy extends PassportStrategy(Strategy, 'sign-in') {
  constructor(
    private readonly members: MemberAuthentication,
    private readonly attempts: SignInAttempts,
    private readonly config: GatewayConfig,
  ) {
    super();
  }

  async validate(request: FastifyRequest): Promise<Authorization> {
    const { state, hostname, ip } = request;
    const { email, password } = state.input as SignIn;
    const reachable = await this.members.candidates(email, hostname);
    const memberIds = reachable.map(({ member_id }) => member_id);
    const found = await this.attempts.limited(
      { email, clientAddress: ip, memberIds },
      (ids, asker) => {
        const tried = reachable.filter(({ member_id }) => ids.includes(member_id));
        return this.members.byPassword(tried, password, asker);
      },
    );
    if (!found) throw new Problem('SIGN_IN_FAILED');
    await this.attempts.remember(found.caller.memberId, ip);
    return this.members.signingIn(found, signInOf(request, this.config));
  }
}

/** The member of a sign-in that is refused, for the audit. */
export const refusedOf = ({ tenantId, memberId }: MemberCaller): RefusedActor => ({
  type: 'member',
  tenantId,
  id: memberId,
});

/** Passport strategy of an invitation or reset link: its token in the body. */
@Injectable()
export class InvitationStrategy extends PassportStrategy(Strategy, 'invitation') {
  constructor(
    private readonly members: MemberAuthentication,
    private readonly attempts: SignInAttempts,
    private readonly config: GatewayConfig,
  ) {
    super();
  }

  async validate(request: FastifyRequest): Promise<Authorization> {
    const { token } = request.state.input as AcceptInvitation;
    const found = await this.members.byInvitation(token, request.hostname);
    if (!found) throw new Problem('INVITATION_INVALID');
    if (!found.keepsPassword) {
      request.state.refusedMember = refusedOf(found.caller);
      throw new Problem('PASSWORDS_OFF');
    }
    await this.attempts.remember(found.caller.memberId, request.ip);
    return this.members.signingIn(found, signInOf(request, this.config));
  }
}

/** Passport strategy of a request for a reset link: a stranger asks, within limits. */
@Injectable()
export class PasswordResetStrategy extends PassportStrategy(Strategy, 'password-reset') {
  constructor(
    private readonly attempts: SignInAttempts,
    private readonly config: GatewayConfig,
  ) {
    super();
  }

  async validate(request: FastifyRequest): Promise<Authorization> {
    const { email } = request.state.input as RequestPasswordReset;
    await this.attempts.countReset(email, request.ip);
    const { token: _, ...signsInFrom } = signInOf(request, this.config);
    const nobody: MemberCaller = {
      type: 'member',
      source: 'app',
      ...{ tenantId: unknownId('ten'), memberId: unknownId('mbr'), email: '', name: '' },
      ...{ role: 'member', canApprove: false, sessionId: null },
    };
    return { caller: { ...nobody, signsInFrom }, sendOpen: false };
  }
}

/** Passport strategy of a passkey alone: the authenticator's answer in the body, its challenge in a cookie. */
@Injectable()
export class PasskeyStrategy extends PassportStrategy(Strategy, 'passkey') {
  constructor(
    private readonly passkeys: PasskeySignIn,
    private readonly members: MemberAuthentication,
    private readonly config: GatewayConfig,
  ) {
    super();
  }

  async validate(request: FastifyRequest): Promise<Authorization> {
    const { headers, hostname: host, id: requestId, state } = request;
    const { credential } = state.input as SignInByPasskey;
    const presented = { credential, cookies: headers.cookie, host, requestId };
    const found = await this.passkeys.judge(presented);
    if (!found) throw new Problem('SIGN_IN_FAILED');
    return this.members.signingIn(found, signInOf(request, this.config));
  }
}

const byOperation: ReadonlyMap<string, Type<AnyStrategy>> = new Map<string, Type<AnyStrategy>>([
  [signIn.create.id, SignInStrategy],
  [signIn.accept.id, InvitationStrategy],
  [passwordReset.request.id, PasswordResetStrategy],
  [passwordReset.accept.id, InvitationStrategy],
  [signIn.passkey.id, PasskeyStrategy],
]);

/** The strategy of an operation with audience `anyone`, whose credentials are in the body. */
export function strategyOf({ id }: Operation): Type<AnyStrategy> {
  const strategy = byOperation.get(id);
  if (!strategy) throw new Error(`${id} is open to anyone, and no strategy reads its credentials`);
  return strategy;
}
