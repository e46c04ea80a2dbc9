import {
  Inject,
  Injectable,
  mixin,
  type CanActivate,
  type ExecutionContext,
  type Type,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { PassportStrategy } from '@nestjs/passport';
import { Problem, type Operation } from '@postroom/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import passport, { type AuthenticateCallback, type Strategy } from 'passport';
import { Strategy as CustomStrategy } from 'passport-custom';
import { Invoker, KeyAuthentication, OAuthTokens, type Authorization } from '../../access/index.js';
import { GatewayConfig } from '../../config.js';
import { bearerOf, mcpPath } from '../oauth/paths.js';
import { headerOf } from './request-state.js';

/** Metadata key of the operation that a generated controller method serves. */
export const operationMetadata = 'postroom:operation';

const requestOf = (context: ExecutionContext): FastifyRequest =>
  context.switchToHttp().getRequest();

/** Notes the operation of a request first, since error style and metrics depend on it. */
@Injectable()
export class OperationGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const operation = this.reflector.get<Operation | undefined>(
      operationMetadata,
      context.getHandler(),
    );
    requestOf(context).state.operation = operation ?? null;
    return true;
  }
}

/** The key in `X-Api-Key` or `Authorization: Bearer`; null without either. */
export function presentedKey({ headers }: FastifyRequest): string | null {
  const key = headers['x-api-key'];
  if (typeof key === 'string' && key !== '') return key;
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '');
  return bearer?.[1] ?? null;
}

/** Passport strategy of the public API. */
@Injectable()
export class ApiKeyStrategy extends PassportStrategy(CustomStrategy, 'api-key') {
  constructor(
    private readonly keys: KeyAuthentication,
    private readonly tokens: OAuthTokens,
    private readonly config: GatewayConfig,
  ) {
    super();
  }

  async validate(request: FastifyRequest): Promise<Authorization> {
    const presented = presentedKey(request);
    const takesTokens = request.url.split('?', 1)[0] === mcpPath;
    const found =
      takesTokens && presented?.startsWith('pr_access_') === true
        ? await this.tokens.authenticate(presented, request.hostname)
        : await this.keys.authenticate(presented, request.hostname);
    if ('caller' in found) return found;
    request.state.refused = found;
    const headers = takesTokens ? bearerOf(this.config.publicUrl) : {};
    throw new Problem('UNAUTHENTICATED', { headers });
  }
}

/**
 * Steps 1 and 2 of `decisions.md` §2: authorizations can be read, and the credential is genuine. It
 * calls Passport with the strategy of this gateway, where `AuthGuard` of `@nestjs/passport` would look
 * for a name in the registry of the process (docs/adr/0041).
 */
export const Authenticated = (strategy: Type<Strategy>): Type<CanActivate> => {
  @Injectable()
  class AuthenticatedGuard implements CanActivate {
    constructor(@Inject(strategy) private readonly strategy: Strategy) {}

    async canActivate(context: ExecutionContext): Promise<boolean> {
      const request = requestOf(context);
      const reply = context.switchToHttp().getResponse<FastifyReply>();
      request.state.authorization = await authenticate(this.strategy, request, reply);
      return true;
    }
  }
  return mixin(AuthenticatedGuard);
};

const authenticate = (
  strategy: Strategy,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Authorization> =>
  new Promise((resolve, reject) => {
    const done: AuthenticateCallback = (error, found) => {
      if (found) resolve(found as unknown as Authorization);
      else reject((error as Error | null) ?? new Problem('UNAUTHENTICATED'));
    };
    // Passport adds the callbacks of a request to a strategy that it is given as an object.
    const ofRequest = Object.create(strategy) as Strategy;
    const middleware = passport.authenticate(ofRequest, { session: false }, done) as Middleware;
    middleware(request, reply, reject);
  });

/** Passport declares none. */
type Middleware = (
  request: FastifyRequest,
  reply: FastifyReply,
  next: (error: Error) => void,
) => void;

/** Steps 4 to 8: all checks that are made before the body is read. */
@Injectable()
export class ChecksGuard implements CanActivate {
  constructor(private readonly invoker: Invoker) {}

  canActivate(context: ExecutionContext): boolean {
    const request = requestOf(context);
    const { operation, authorization } = request.state;
    if (!operation || !authorization) throw new Problem('ROUTE_NOT_FOUND');
    // A HEAD changes nothing (RFC 9110 §9.3.2), and the webhook test's GET does.
    if (request.method === 'HEAD' && operation.effect !== 'read') {
      throw new Problem('METHOD_NOT_ALLOWED', { headers: { allow: operation.method } });
    }
    const idempotencyKey = headerOf(request, 'idempotency-key');
    this.invoker.authorize({ operation, authorization, idempotencyKey });
    return true;
  }
}
