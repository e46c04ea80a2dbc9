import {
  Inject,
  Injectable,
  mixin,
  type CanActivate,
  type ExecutionContext,
  type Type,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { checksBeforeBody } from '@postroom/access';
import { Problem, type Operation } from '@postroom/contracts';
import type { FastifyRequest } from 'fastify';
import type { Strategy } from 'passport';
import type { Authorization } from '../authentication/index.js';
import { GatewayConfig } from '../config.js';
import { headerOf } from './headers.js';
import { Inputs } from './inputs.js';

/** Metadata key of a generated method: the operation it serves. */
export const operationMetadata = 'postroom:operation';

const requestOf = (context: ExecutionContext): FastifyRequest =>
  context.switchToHttp().getRequest();

/** Remembers which operation a request is for, before anything can refuse it. */
@Injectable()
export class OperationGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const operation = this.reflector.get<Operation | undefined>(
      operationMetadata,
      context.getHandler(),
    );
    requestOf(context).edge.operation = operation ?? null;
    return true;
  }
}

/** Steps 1 and 2 of `decisions.md` §2: authorizations can be read, and somebody is there. */
export const Authenticated = (strategy: Type<Strategy>): Type<CanActivate> => {
  @Injectable()
  class AuthenticatedGuard implements CanActivate {
    constructor(@Inject(strategy) private readonly strategy: Strategy) {}

    async canActivate(context: ExecutionContext): Promise<boolean> {
      const request = requestOf(context);
      request.edge.authorization = await attempt(this.strategy, request);
      return true;
    }
  }
  return mixin(AuthenticatedGuard);
};

/**
 * Lets a Passport strategy judge a request. `passport.authenticate` does the same by way of one
 * registry a process, where a second gateway would replace the first one's strategies, and with
 * closures that cost a list 6 % of its throughput (docs/benchmarks.md).
 */
function attempt(strategy: Strategy, request: FastifyRequest): Promise<Authorization> {
  return new Promise((resolve, reject) => {
    const judging = Object.create(strategy) as Judging;
    judging.success = resolve;
    judging.error = reject;
    judging.fail = () => reject(new Problem('UNAUTHENTICATED'));
    judging.authenticate(request);
  });
}

/** A strategy with what Passport adds to it for one request. */
interface Judging {
  success: (found: Authorization) => void;
  error: (error: unknown) => void;
  fail: () => void;
  authenticate: (request: FastifyRequest) => void;
}

/** Steps 4 to 8: everything that is judged before the body is read. */
@Injectable()
export class ChecksGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = requestOf(context);
    const { operation, authorization } = request.edge;
    if (!operation || !authorization) throw new Problem('ROUTE_NOT_FOUND');
    const { caller, sendOpen } = authorization;
    const idempotencyKey = headerOf(request, 'idempotency-key');
    for (const check of checksBeforeBody) check({ operation, caller, idempotencyKey, sendOpen });
    return true;
  }
}

/** A write that a page of another origin makes with the member's cookie is refused. */
@Injectable()
export class OriginGuard implements CanActivate {
  constructor(private readonly config: GatewayConfig) {}

  canActivate(context: ExecutionContext): boolean {
    const { headers, method } = requestOf(context);
    const { origin, host } = headers;
    if (origin === undefined || method === 'GET' || method === 'HEAD') return true;
    const ours = [new URL(this.config.publicUrl).origin, `http://${host}`, `https://${host}`];
    if (!ours.includes(origin)) throw new Problem('FOREIGN_ORIGIN');
    return true;
  }
}

/** Reads the body ahead of the strategies that find their credentials in it. */
@Injectable()
export class CredentialsGuard implements CanActivate {
  constructor(private readonly inputs: Inputs) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    const { operation } = request.edge;
    if (operation) request.edge.input = await this.inputs.of(operation, request);
    return true;
  }
}
