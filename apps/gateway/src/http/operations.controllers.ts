import {
  All,
  Controller,
  Inject,
  Req,
  RequestMapping,
  RequestMethod,
  Res,
  SetMetadata,
  UseGuards,
  type CanActivate,
  type Type,
} from '@nestjs/common';
import {
  isMounted,
  mountPoints,
  type Method,
  type MountedOperation,
  type Operation,
} from '@postroom/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiKeyStrategy, SessionStrategy, strategyOf } from '../authentication/index.js';
import { Edge } from './edge.js';
import { FamilyThrottlerGuard } from './family-throttler.guard.js';
import {
  Authenticated,
  ChecksGuard,
  CredentialsGuard,
  OriginGuard,
  OperationGuard,
  operationMetadata,
} from './guards.js';

const methods: Readonly<Record<Method, RequestMethod>> = {
  GET: RequestMethod.GET,
  POST: RequestMethod.POST,
  PUT: RequestMethod.PUT,
  PATCH: RequestMethod.PATCH,
  DELETE: RequestMethod.DELETE,
};

const ApiKey = Authenticated(ApiKeyStrategy);
const Session = Authenticated(SessionStrategy);

type GuardsOf = (operation: Operation) => Type<CanActivate>[];

const guardsOfAudience: Readonly<Record<MountedOperation['audience'], GuardsOf>> = {
  key: () => [ApiKey, FamilyThrottlerGuard],
  member: () => [OriginGuard, Session],
  anyone: (operation) => [OriginGuard, CredentialsGuard, Authenticated(strategyOf(operation))],
};

/** The guards of an operation, in the order of `decisions.md` §2. */
const guardsOf = (operation: MountedOperation): Type<CanActivate>[] => [
  OperationGuard,
  ...guardsOfAudience[operation.audience](operation),
  ChecksGuard,
];

class OperationsController {
  constructor(@Inject(Edge) protected readonly edge: Edge) {}
}

/**
 * Nest controllers made from the operations that have a route: one method an operation, that does nothing but hand
 * it to the edge.
 */
export function controllersOf(operations: readonly Operation[]): Type[] {
  return operations.filter(isMounted).map((operation) => {
    class OperationController extends OperationsController {}
    const serve = function (
      this: OperationController,
      request: FastifyRequest,
      reply: FastifyReply,
    ): Promise<void> {
      return this.edge.serve(operation, request, reply);
    };
    const descriptor = { value: serve, writable: true, configurable: true };
    Object.defineProperty(serve, 'name', { value: operation.id });
    Object.defineProperty(OperationController, 'name', { value: `${operation.id}Controller` });
    Object.defineProperty(OperationController.prototype, operation.name, descriptor);
    Req()(OperationController.prototype, operation.name, 0);
    Res()(OperationController.prototype, operation.name, 1);
    SetMetadata(operationMetadata, operation)(
      OperationController.prototype,
      operation.name,
      descriptor,
    );
    UseGuards(...guardsOf(operation))(OperationController.prototype, operation.name, descriptor);
    RequestMapping({ path: operation.path, method: methods[operation.method] })(
      OperationController.prototype,
      operation.name,
      descriptor,
    );
    Controller(mountPoints[operation.audience])(OperationController);
    return OperationController;
  });
}

/** Whatever else is asked under the public prefix: a key first, then 404 or 405. */
@Controller(mountPoints.key)
@UseGuards(ApiKey, FamilyThrottlerGuard)
export class UnknownPublicRouteController extends OperationsController {
  @All(['', '*'])
  answer(@Req() request: FastifyRequest): never {
    throw this.edge.unknownRoute(request);
  }
}

/** Whatever else is asked under the settings prefix: a session first, then 404. */
@Controller(mountPoints.member)
@UseGuards(Session)
export class UnknownSettingsRouteController extends OperationsController {
  @All(['', '*'])
  answer(@Req() request: FastifyRequest): never {
    throw this.edge.unknownRoute(request);
  }
}
